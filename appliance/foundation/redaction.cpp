#include "appliance/foundation/redaction.h"

#include <algorithm>

namespace agentbox {

namespace {

constexpr std::string_view opening = "(\"'`", closing = ")\"'`.,:;";

bool is_within(char c, std::string_view marks) { return marks.find(c) != std::string_view::npos; }

// The name of a container image: a registry's host before the first slash, a tag or digest after the last one.
bool names_image(std::string_view word) {
  const auto host = word.substr(0, word.find('/')), last = word.substr(word.rfind('/') + 1);
  const auto colon = last.find(':');
  if (host.empty() || host.front() == '.' || host.back() == ':' || colon == 0 || colon >= last.size() - 1) return false;
  return host == "localhost" || host.find_first_of(".:") != std::string_view::npos;
}

}  // namespace

std::string redact_secret(std::string_view text, std::string_view secret, std::string_view mark) {
  if (secret.empty()) return std::string(text);
  std::string redacted;
  for (std::size_t at = 0;;) {
    const auto found = text.find(secret, at);
    redacted += text.substr(at, found - at);
    if (found == std::string_view::npos) return redacted;
    redacted += mark;
    at = found + secret.size();
  }
}

std::string redact_paths(std::string_view sentence) {
  std::string redacted;
  bool follows_path = false;  // the word before was a path without punctuation after it
  for (std::size_t at = 0; at < sentence.size();) {
    const auto end = std::min(sentence.find(' ', at), sentence.size());
    const auto word = sentence.substr(at, end - at);
    at = end + 1;
    std::size_t before = 0, after = word.size();
    while (before < after && is_within(word[before], opening)) ++before;
    while (after > before && is_within(word[after - 1], closing)) --after;
    const auto bare = word.substr(before, after - before);
    const bool is_path = word.find('/') != std::string_view::npos && !names_image(bare);
    if (is_path && follows_path) {  // a path with a space in it
      redacted += word.substr(after);
    } else {
      if (!redacted.empty()) redacted += ' ';
      if (is_path) redacted.append(word.substr(0, before)).append("a file");
      redacted += word.substr(is_path ? after : 0);
    }
    follows_path = is_path && after == word.size();
  }
  return redacted;
}

}  // namespace agentbox
