#include "appliance/foundation/crypto/jcs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "web/routes/json_number.h"

namespace crypto {

namespace {

namespace json = boost::json;

constexpr std::int64_t largest_exact = (std::int64_t{1} << 53) - 1;

// The order of UTF-16 in bytes of UTF-8. The two differ only for characters beyond U+FFFF, which begin with 0xF0 or
// above: their surrogates sort before U+E000, so the lead bytes 0xEE and 0xEF move behind them.
constexpr unsigned utf16_rank(char character) {
  const auto byte = static_cast<unsigned char>(character);
  return byte == 0xEE || byte == 0xEF ? byte + 0x10u : byte;
}

bool precedes(std::string_view a, std::string_view b) {
  const auto [left, right] = std::ranges::mismatch(a, b);
  if (left == a.end() || right == b.end()) return a.size() < b.size();
  return utf16_rank(*left) < utf16_rank(*right);
}

void append_escaped(std::string& out, char character) {
  constexpr std::string_view digits = "0123456789abcdef";
  switch (character) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\r':
      out += "\\r";
      return;
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(character);
  if (byte >= 0x20) {
    out += character;
    return;
  }
  out += "\\u00";
  out += digits[byte >> 4];
  out += digits[byte & 15];
}

void append_text(std::string& out, std::string_view text) {
  out += '"';
  for (const char character : text) append_escaped(out, character);
  out += '"';
}

bool append(std::string& out, const json::value& value);

bool append_object(std::string& out, const json::object& object) {
  std::vector<const json::key_value_pair*> members;
  members.reserve(object.size());
  for (const auto& member : object) members.push_back(&member);
  std::ranges::sort(members, precedes, [](const auto* member) { return std::string_view(member->key()); });
  out += '{';
  for (const auto* member : members) {
    if (member != members.front()) out += ',';
    append_text(out, member->key());
    out += ':';
    if (!append(out, member->value())) return false;
  }
  out += '}';
  return true;
}

bool append_array(std::string& out, const json::array& array) {
  out += '[';
  for (std::size_t at = 0; at < array.size(); ++at) {
    if (at > 0) out += ',';
    if (!append(out, array[at])) return false;
  }
  out += ']';
  return true;
}

bool append_whole(std::string& out, auto number) {
  const auto digits = std::to_string(number);
  if (std::cmp_greater(number, largest_exact) || std::cmp_less(number, -largest_exact)) {
    std::string as_double;
    web::append_json_number(as_double, static_cast<double>(number));
    if (as_double != digits) return false;
  }
  out += digits;
  return true;
}

bool append(std::string& out, const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      out += "null";
      return true;
    case json::kind::bool_:
      out += value.get_bool() ? "true" : "false";
      return true;
    case json::kind::int64:
      return append_whole(out, value.get_int64());
    case json::kind::uint64:
      return append_whole(out, value.get_uint64());
    case json::kind::double_:
      if (!std::isfinite(value.get_double())) return false;
      web::append_json_number(out, value.get_double() == 0 ? 0.0 : value.get_double());  // -0 is written as 0
      return true;
    case json::kind::string:
      append_text(out, value.get_string());
      return true;
    case json::kind::array:
      return append_array(out, value.get_array());
    case json::kind::object:
      return append_object(out, value.get_object());
  }
  return false;
}

}  // namespace

std::optional<std::string> canonical_json(const json::value& value) {
  std::string text;
  if (!append(text, value)) return std::nullopt;
  return text;
}

}  // namespace crypto
