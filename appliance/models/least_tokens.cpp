#include "appliance/models/least_tokens.h"

#include <algorithm>

namespace models {

namespace {

// On average over a long text, and at most in runs of blanks and signs (indentation, rulers).
constexpr std::int64_t most_letters_in_token = 7, most_signs_in_token = 128;

// Characters of UTF-8 text, by what tokens are made of. All beyond ASCII count as letters. No token reaches from one
// word into the next: tokenizers part texts at blanks before they look for tokens.
struct Characters {
  std::int64_t letters = 0, signs = 0, words = 0;

  void count(std::string_view text) {
    bool is_within = false;
    for (const char c : text) {
      const bool is_blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
      if (!is_blank && !is_within) ++words;
      is_within = !is_blank;
      const auto byte = static_cast<unsigned char>(c);
      const bool begins_letter =
          byte >= 0xC0 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (begins_letter) ++letters;
      if (!begins_letter && byte < 0x80) ++signs;
    }
  }
};

}  // namespace

std::int64_t least_tokens(const ChatRequest& request) {
  Characters characters;
  for (const auto& message : request.messages) {
    characters.count(message.content);
    for (const auto& call : message.tool_calls) characters.count(call.arguments);
  }
  for (const auto& tool : request.tools) characters.count(tool.description);
  return std::max(characters.words,
                  characters.letters / most_letters_in_token + characters.signs / most_signs_in_token);
}

}  // namespace models
