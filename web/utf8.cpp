#include "web/utf8.h"

#include <algorithm>
#include <cstring>

#include "web/ascii.h"

namespace web {

CodePoint decode_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
  if (length == 0 || first > 0xF4 || text.size() < length) return {};
  char32_t value = first & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3Fu);
  }
  const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  if (overlong || (value >= 0xD800 && value <= 0xDFFF) || value > 0x10FFFF) return {};
  return {value, length};
}

std::size_t count_characters(std::string_view text) {
  const auto begins_one = [](unsigned char c) { return (c & 0xC0) != 0x80; };
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_one));
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    std::uint64_t eight;
    if (text.size() >= sizeof eight) {
      std::memcpy(&eight, text.data(), sizeof eight);
      if ((eight & 0x8080808080808080u) == 0) {
        text.remove_prefix(sizeof eight);
        continue;
      }
    }
    const auto length = decode_utf8(text).length;
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string_view utf8_prefix(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

std::string headline(std::string_view text, std::size_t bytes) {
  constexpr std::string_view ellipsis = "\u2026";
  text = trim(text, white_space);
  const auto line = trim(text.substr(0, text.find_first_of("\r\n")), white_space);
  if (line.size() <= bytes) return std::string(line);
  auto cut = utf8_prefix(line, bytes - std::min(bytes, ellipsis.size()));
  const auto ends_a_word = line[cut.size()] == ' ';
  if (const auto last = cut.rfind(' '); !ends_a_word && last != cut.npos && last > 0) cut = cut.substr(0, last);
  return std::string(trim(cut, white_space)) + std::string(ellipsis);
}

}  // namespace web
