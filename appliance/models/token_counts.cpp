#include "appliance/models/token_counts.h"

#include <algorithm>

#include <boost/json/serialize.hpp>
#include "web/ascii.h"

namespace models {

namespace {

// On average over a long text, and at most in runs of blanks and signs (indentation, rulers).
constexpr std::int64_t max_letters_in_token = 7, max_signs_in_token = 128;

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
      const bool begins_letter = byte >= 0xC0 || web::is_alphanumeric(c);
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
  return std::max(characters.words, characters.letters / max_letters_in_token + characters.signs / max_signs_in_token);
}

void TokenCounter::add(std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const auto kind = byte >= 0x80                                       ? Kind::other
                      : (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? Kind::letters
                      : c == ' ' || c == '\t'                            ? Kind::blanks
                                                                         : Kind::signs;
    if (kind != kind_) end_run();
    kind_ = kind;
    ++run_;
  }
}

void TokenCounter::end_run() {
  tokens_ = count();
  run_ = 0;
}

std::int64_t TokenCounter::count() const {
  switch (kind_) {
    case Kind::letters:  // most words are one token or two
      return tokens_ + (run_ + 3) / 4;
    case Kind::other:  // of UTF-8: two or three bytes a letter
      return tokens_ + (run_ + 1) / 2;
    case Kind::blanks:  // one before a word is part of the word's token
      return tokens_ + (run_ > 1 ? 1 + run_ / 16 : 0);
    case Kind::signs:
      return tokens_ + run_;
  }
  return tokens_;
}

std::int64_t counted_tokens(const Message& message) {
  constexpr std::int64_t around_message = 4, of_image = 1'600;
  TokenCounter counter;
  std::int64_t tokens = around_message;
  counter.add(message.content);
  for (const auto& part : message.parts) tokens += part.url.empty() ? 0 : of_image;
  for (const auto& call : message.tool_calls) {
    tokens += around_message;
    counter.add(call.name);
    counter.add(call.arguments);
  }
  return tokens + counter.count();
}

std::int64_t counted_tokens(const ChatRequest& request) {
  constexpr std::int64_t around_tools = 400;
  TokenCounter counter;
  std::int64_t tokens = request.tools.empty() ? 0 : around_tools;
  for (const auto& message : request.messages) tokens += counted_tokens(message);
  for (const auto& tool : request.tools) {
    counter.add(tool.name);
    counter.add(tool.description);
    counter.add(boost::json::serialize(tool.parameters));
  }
  return tokens + counter.count();
}

}  // namespace models
