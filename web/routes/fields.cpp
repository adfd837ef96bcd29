#include "web/routes/fields.h"

#include <charconv>
#include <cmath>

#include "web/ascii.h"
#include "web/blank.h"
#include "web/utf8.h"

namespace web::detail {
namespace {

// JSON numbers with a fraction or an exponent are doubles; up to here whole numbers are exact.
constexpr double max_exact = 9007199254740992.0;

std::string range(std::string_view noun, const std::string& lo, const std::string& hi, bool has_lo, bool has_hi) {
  std::string out = "must be " + std::string(noun);
  if (has_lo && has_hi) return out + " from " + lo + " to " + hi;
  if (has_lo) return out + " of at least " + lo;
  if (has_hi) return out + " of at most " + hi;
  return out;
}

Problem bad_whole(std::int64_t lo, std::int64_t hi, const Where& where) {
  return problem(where,
                 range("a whole number", std::to_string(lo), std::to_string(hi), lo != INT64_MIN, hi != INT64_MAX));
}

std::string short_number(double value) {
  char digits[32];
  return std::string(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

Problem bad_number(double lo, double hi, const Where& where) {
  return problem(where, range("a number", short_number(lo), short_number(hi), lo != -no_bound, hi != no_bound));
}

std::string counted(std::size_t n, std::string_view noun) {
  return std::to_string(n) + ' ' + std::string(noun) + (n == 1 ? "" : "s");
}

// application/x-www-form-urlencoded: '+' is a space. Returns nothing for a '%' without two hexadecimal digits.
std::optional<std::string> decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      if (text.size() - i < 3) return {};
      const int high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return {};
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return out;
}

}  // namespace

std::string Where::text() const {
  std::string out = parent ? parent->text() : std::string();
  if (index != no_index) return out + '[' + std::to_string(index) + ']';
  if (!out.empty() && !name.empty()) out += '.';
  return out.append(name);
}

Problem problem(const Where& where, std::string_view what) {
  auto out = where.text();
  if (out.empty()) out = "Body";
  out += ' ';
  return out.append(what);
}

Problem check_text(std::string_view text, std::size_t min, std::size_t max, Controls controls, const Where& where) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++count) {
    if (text[i] >= 0x20 && text[i] < 0x7F) {
      ++i;
      continue;
    }
    const auto [point, length] = decode_utf8(text.substr(i));
    if (length == 0) return problem(where, "is not valid UTF-8");
    const bool control = point < 0x20 || (point >= 0x7F && point <= 0x9F);
    const bool is_layout = point == '\n' || point == '\r' || point == '\t';
    const bool allowed = controls == Controls::all_but_nul ? point != 0 : controls != Controls::refused && is_layout;
    if (control && !allowed) return problem(where, "must not contain control characters");
    i += length;
  }
  if (count == 0 && min > 0) return problem(where, "must not be empty");
  if (count < min) return problem(where, "must be at least " + counted(min, "character"));
  if (count > max) return problem(where, "must be at most " + counted(max, "character"));
  if (min > 0 && controls != Controls::all_but_nul && is_blank(text)) return problem(where, "must not be blank");
  return {};
}

Problem check_id(std::string_view text, const Where& where) {
  if (text.empty()) return problem(where, "must not be empty");
  const auto allowed = [](char c) { return is_alphanumeric(c) || c == '-' || c == '_'; };
  if (text.size() > Bounds<Id>::max || !std::all_of(text.begin(), text.end(), allowed)) {
    return problem(where, "must be at most 128 letters, digits, '-' and '_'");
  }
  return {};
}

Problem read_whole(const boost::json::value& json, std::int64_t lo, std::int64_t hi, std::int64_t& out,
                   const Where& where) {
  if (const auto* whole = json.if_int64()) {
    out = *whole;
  } else if (const auto* real = json.if_double(); real && std::fabs(*real) <= max_exact && std::trunc(*real) == *real) {
    out = static_cast<std::int64_t>(*real);
  } else {
    return bad_whole(lo, hi, where);
  }
  if (out < lo || out > hi) return bad_whole(lo, hi, where);
  return {};
}

Problem read_whole(std::string_view text, std::int64_t lo, std::int64_t hi, std::int64_t& out, const Where& where) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size() || out < lo || out > hi) return bad_whole(lo, hi, where);
  return {};
}

Problem read_number(const boost::json::value& json, double lo, double hi, double& out, const Where& where) {
  if (const auto* real = json.if_double()) {
    out = *real;
  } else if (const auto* whole = json.if_int64()) {
    out = static_cast<double>(*whole);
  } else if (const auto* large = json.if_uint64()) {
    out = static_cast<double>(*large);
  } else {
    return bad_number(lo, hi, where);
  }
  if (!std::isfinite(out) || out < lo || out > hi) return bad_number(lo, hi, where);
  return {};
}

Problem read_number(std::string_view text, double lo, double hi, double& out, const Where& where) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  const bool whole_text = error == std::errc() && end == text.data() + text.size();
  if (!whole_text || !std::isfinite(out) || out < lo || out > hi) return bad_number(lo, hi, where);
  return {};
}

Problem read_bool(std::string_view text, bool& out, const Where& where) {
  if (text != "true" && text != "false") return problem(where, "must be true or false");
  out = text == "true";
  return {};
}

Problem check_count(std::size_t count, std::size_t min, std::size_t max, const Where& where) {
  if (count == 0 && min > 0) return problem(where, "must not be empty");
  if (count < min) return problem(where, "must have at least " + counted(min, "item"));
  if (count > max) return problem(where, "must have at most " + counted(max, "item"));
  return {};
}

Result<Pairs> query_pairs(std::string_view query) {
  Pairs pairs;
  while (!query.empty()) {
    const auto end = query.find('&');
    const auto piece = query.substr(0, end);
    query = end == std::string_view::npos ? std::string_view() : query.substr(end + 1);
    if (piece.empty()) continue;
    const auto equals = piece.find('=');
    auto name = decode(piece.substr(0, equals));
    if (!name) return invalid("The query has a malformed percent-encoding");
    auto value = decode(equals == std::string_view::npos ? std::string_view() : piece.substr(equals + 1));
    if (!value) return invalid(*name + " has a malformed percent-encoding");
    pairs.emplace_back(std::move(*name), std::move(*value));
  }
  return pairs;
}

boost::json::object text_schema(std::size_t min, std::size_t max, bool may_be_blank) {
  boost::json::object out{{"type", "string"}};
  if (min > 0) out["minLength"] = min;
  if (min > 0 && !may_be_blank) out["pattern"] = "\\S";
  if (max != SIZE_MAX) out["maxLength"] = max;
  return out;
}

boost::json::object whole_schema(std::int64_t lo, std::int64_t hi) {
  boost::json::object out{{"type", "integer"}};
  if (lo != INT64_MIN) out["minimum"] = lo;
  if (hi != INT64_MAX) out["maximum"] = hi;
  return out;
}

boost::json::object number_schema(double least, double most) {
  boost::json::object out{{"type", "number"}};
  if (least != -no_bound) out["minimum"] = least;
  if (most != no_bound) out["maximum"] = most;
  return out;
}

boost::json::object list_schema(boost::json::object items, std::size_t fewest, std::size_t most) {
  boost::json::object out{{"type", "array"}, {"items", std::move(items)}};
  if (fewest > 0) out["minItems"] = fewest;
  if (most != SIZE_MAX) out["maxItems"] = most;
  return out;
}

boost::json::object or_null(boost::json::object schema) {
  if (auto* type = schema.if_contains("type"); type && type->is_string()) {
    *type = boost::json::array{*type, "null"};
    if (auto* names = schema.if_contains("enum")) names->as_array().emplace_back(nullptr);
  } else if (auto* choices = schema.if_contains("oneOf")) {
    choices->as_array().emplace_back(boost::json::object{{"type", "null"}});
  }
  return schema;
}

}  // namespace web::detail
