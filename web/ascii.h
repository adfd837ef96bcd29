// Text of protocols: ASCII letters without regard to case, digits, white space, lines and lists. Bytes beyond ASCII are
// left as they are, so UTF-8 stays UTF-8.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace web {

constexpr char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), to_lower);
  return lower;
}

constexpr bool is_letter(char c) { return to_lower(c) >= 'a' && to_lower(c) <= 'z'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_alphanumeric(char c) { return is_digit(c) || is_letter(c); }

// Also true of an empty text.
constexpr bool all_digits(std::string_view text) { return std::all_of(text.begin(), text.end(), is_digit); }

// The value of a hexadecimal digit; -1 for other characters.
constexpr int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return to_lower(x) == to_lower(y); });
}

constexpr bool starts_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && equal_ignoring_case(text.substr(0, prefix.size()), prefix);
}

// In either case; also true of an empty text.
constexpr bool all_hex_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return hex_digit(c) >= 0; });
}

inline constexpr std::string_view white_space = " \t\r\n\v\f";

// Without `dropped` at both ends; spaces and tabs are the optional white space of HTTP.
constexpr std::string_view trim(std::string_view text, std::string_view dropped = " \t") {
  const auto first = text.find_first_not_of(dropped);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(dropped) - first + 1);
}

// Up to the first line feed, without it.
constexpr std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

// The texts of a range, with `separator` between them.
template <class Texts>
std::string join(const Texts& texts, std::string_view separator) {
  std::string joined;
  bool is_first = true;
  for (const auto& text : texts) {
    if (!is_first) joined += separator;
    joined += text;
    is_first = false;
  }
  return joined;
}

}  // namespace web
