#include "summarizer/markdown_text.h"

#include <algorithm>

#include "summarizer/text.h"
#include "web/ascii.h"
#include "web/utf8.h"

namespace summarizer {
namespace {

// Whether the character is markup between `before` and `after` ('\0' at an end).
bool is_markup(char c, char before, char after) {
  switch (c) {
    case '\\':
    case '`':
    case '*':
    case '[':
    case ']':
    case '<':
      return true;
    case '_':
      return !is_word(before) || !is_word(after);  // not within snake_case
    case '&':
      return is_word(after) || after == '#';
    case '~':
      return before == '~' || after == '~';
    case '|':
      return true;
    default:
      return false;
  }
}

std::size_t longest_run(std::string_view text, char c) {
  std::size_t longest = 0, run = 0;
  for (const char each : text) longest = std::max(longest, run = each == c ? run + 1 : 0);
  return longest;
}

}  // namespace

void append_words(std::string& out, std::string_view utf8, bool escape) {
  char before = out.empty() ? '\0' : out.back();
  while (!utf8.empty()) {
    const auto point = web::decode_utf8(utf8);
    const auto length = std::max<std::size_t>(point.length, 1);
    if (is_white_space(point.value)) {
      if (!out.empty() && out.back() != ' ' && out.back() != '\n') out += ' ';
      before = ' ';
    } else if (point.value != soft_hyphen) {
      const char c = utf8.front(), after = length < utf8.size() ? utf8[length] : '\0';
      if (escape && length == 1 && is_markup(c, before, after)) out += '\\';
      out += utf8.substr(0, length);
      before = c;
    }
    utf8.remove_prefix(length);
  }
}

std::string escaped_start(std::string block) {
  if (block.empty()) return block;
  const auto digits = std::min(block.find_first_not_of("0123456789"), block.size());
  const bool after_digits_marker =
      digits > 0 && digits < block.size() && (block[digits] == '.' || block[digits] == ')');
  if (after_digits_marker && (digits + 1 == block.size() || block[digits + 1] == ' ')) {
    block.insert(digits, 1, '\\');
  } else if (!web::is_digit(block[0]) && std::string_view("#>+-=").find(block[0]) != std::string_view::npos) {
    block.insert(0, 1, '\\');
  }
  return block;
}

std::string marked(std::string_view text, std::string_view marker) {
  const auto first = text.find_first_not_of(" \n");
  if (first == text.npos) return std::string(text);
  const auto last = text.find_last_not_of(" \n") + 1;
  std::string out(text.substr(0, first));
  out.append(marker).append(text.substr(first, last - first)).append(marker).append(text.substr(last));
  return out;
}

std::string code_span(std::string_view code) {
  if (code.empty()) return {};
  const std::string fence(longest_run(code, '`') + 1, '`');
  const bool padded = code.front() == '`' || code.back() == '`';
  const std::string pad(padded ? " " : "");
  return fence + pad + std::string(code) + pad + fence;
}

std::string code_block(std::string_view code, std::string_view language) {
  const std::string fence(std::max<std::size_t>(longest_run(code, '`') + 1, 3), '`');
  return fence + std::string(language) + "\n" + std::string(code) + "\n" + fence;
}

std::string indented(std::string_view text, std::string_view first, std::string_view rest) {
  std::string out(first);
  for (bool started = false; !text.empty() || !started; started = true) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    if (started) {
      out += '\n';
      const bool bare = line.empty() && rest.find_first_not_of(' ') == rest.npos;
      if (!bare) out += rest;
    }
    out += line;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace summarizer
