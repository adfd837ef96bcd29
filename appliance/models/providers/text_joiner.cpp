#include "appliance/models/providers/text_joiner.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "web/utf8.h"

namespace models {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";
constexpr std::size_t surrogate_bytes = 3, escape_bytes = 6;

unsigned char byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

// The surrogate that three bytes encode (ED A0..BF 80..BF), or nothing.
std::optional<std::uint32_t> surrogate_in(std::string_view text) {
  if (text.size() < surrogate_bytes || byte_at(text, 0) != 0xED || byte_at(text, 1) < 0xA0 || byte_at(text, 1) > 0xBF ||
      (byte_at(text, 2) & 0xC0) != 0x80)
    return std::nullopt;
  return 0xD000u | (byte_at(text, 1) & 0x3Fu) << 6 | (byte_at(text, 2) & 0x3Fu);
}

constexpr bool is_high(std::uint32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
constexpr bool is_low(std::uint32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

std::string pair_as_utf8(std::uint32_t high, std::uint32_t low) {
  const auto code = 0x10000u + ((high - 0xD800u) << 10) + (low - 0xDC00u);
  return {static_cast<char>(0xF0 | code >> 18), static_cast<char>(0x80 | (code >> 12 & 0x3F)),
          static_cast<char>(0x80 | (code >> 6 & 0x3F)), static_cast<char>(0x80 | (code & 0x3F))};
}

// Whether more bytes could make a character of a text that is none yet.
bool may_be_completed(std::string_view text) {
  const auto first = byte_at(text, 0);
  const std::size_t length = first >= 0xF0 && first < 0xF5   ? 4
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xC2                 ? 2
                                                             : 0;
  if (length == 0 || first >= 0xF5 || text.size() >= length) return false;
  return std::ranges::all_of(text.substr(1), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; });
}

std::optional<std::uint32_t> escape_at(std::string_view json, std::size_t at) {
  if (json.size() < at + escape_bytes || json[at] != '\\' || json[at + 1] != 'u') return std::nullopt;
  std::uint32_t unit = 0;
  const auto* begin = json.data() + at + 2;
  const auto [end, error] = std::from_chars(begin, begin + 4, unit, 16);
  return error == std::errc() && end == begin + 4 ? std::optional(unit) : std::nullopt;
}

}  // namespace

std::string TextJoiner::add(std::string_view piece) {
  if (pending_.empty() && web::is_utf8(piece)) return std::string(piece);
  const auto text = std::exchange(pending_, {}) + std::string(piece);
  std::string valid;
  for (std::string_view rest = text; !rest.empty();) {
    if (const auto length = web::decode_utf8(rest).length; length > 0) {
      valid += rest.substr(0, length);
      rest.remove_prefix(length);
      continue;
    }
    const auto unit = surrogate_in(rest);
    const auto next = unit ? rest.substr(surrogate_bytes) : std::string_view();
    const auto low = unit ? surrogate_in(next) : std::nullopt;
    if (unit && low && is_high(*unit) && is_low(*low)) {
      valid += pair_as_utf8(*unit, *low);
      rest.remove_prefix(2 * surrogate_bytes);
    } else if ((unit && is_high(*unit) &&
                (next.empty() || (next.size() < surrogate_bytes && may_be_completed(next)))) ||
               (!unit && may_be_completed(rest))) {
      pending_ = rest;
      break;
    } else {
      valid += replacement;
      rest.remove_prefix(unit ? surrogate_bytes : 1);
    }
  }
  return valid;
}

std::string TextJoiner::end() { return std::exchange(pending_, {}).empty() ? std::string() : std::string(replacement); }

std::string joined_text(std::string text) {
  if (web::is_utf8(text)) return text;
  TextJoiner joiner;
  auto joined = joiner.add(text);
  return joined + joiner.end();
}

std::string with_surrogate_bytes(std::string_view json) {
  std::string text;
  for (std::size_t at = 0; at < json.size();) {
    if (json[at] != '\\') {
      text += json[at++];
      continue;
    }
    const auto unit = escape_at(json, at);
    if (!unit || (!is_high(*unit) && !is_low(*unit))) {
      text += json.substr(at, 2);
      at += 2;
      continue;
    }
    const auto next = escape_at(json, at + escape_bytes);
    if (is_high(*unit) && next && is_low(*next)) {
      text += json.substr(at, 2 * escape_bytes);
      at += 2 * escape_bytes;
      continue;
    }
    text += {static_cast<char>(0xED), static_cast<char>(0x80 | (*unit >> 6 & 0x3F)),
             static_cast<char>(0x80 | (*unit & 0x3F))};
    at += escape_bytes;
  }
  return text;
}

}  // namespace models
