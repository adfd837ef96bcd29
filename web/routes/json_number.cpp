#include "web/routes/json_number.h"

#include <charconv>
#include <cstdlib>

namespace web {

void append_json_number(std::string& out, double number) {
  char text[32];
  const std::string_view written(text,
                                 std::to_chars(text, text + sizeof text, number, std::chars_format::scientific).ptr);
  // [-]d[.ddd]e+xx
  auto mantissa = written.substr(0, written.find('e'));
  auto exponent_text = written.substr(mantissa.size() + 1);
  if (exponent_text.starts_with('+')) exponent_text.remove_prefix(1);
  int exponent = 0;
  std::from_chars(exponent_text.data(), exponent_text.data() + exponent_text.size(), exponent);
  if (mantissa.starts_with('-')) {
    out += '-';
    mantissa.remove_prefix(1);
  }
  std::string digits(mantissa.substr(0, 1));
  if (mantissa.size() > 2) digits += mantissa.substr(2);

  constexpr int max_whole = 21, max_zeros = 6;
  const int size = static_cast<int>(digits.size()), whole = exponent + 1;
  if (whole > 0 && whole <= max_whole) {
    if (size <= whole) {
      out.append(digits).append(static_cast<std::size_t>(whole - size), '0');
    } else {
      out.append(digits, 0, static_cast<std::size_t>(whole))
          .append(1, '.')
          .append(digits, static_cast<std::size_t>(whole));
    }
  } else if (whole <= 0 && whole > -max_zeros) {
    out.append("0.").append(static_cast<std::size_t>(-whole), '0').append(digits);
  } else {
    out += digits.front();
    if (size > 1) out.append(1, '.').append(digits, 1);
    out.append(exponent < 0 ? "e-" : "e+").append(std::to_string(std::abs(exponent)));
  }
}

std::optional<double> parse_json_double(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool keeps_digits(std::string_view text, double number) {
  std::string again;
  append_json_number(again, number);
  return again == text;
}

}  // namespace web
