// Numbers of JSON that come back as they were sent. Boost.JSON 1.81 may read a double off by one in the last place.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace web {

// Appends the shortest digits that read back as the same double, laid out as ECMAScript does (JSON.stringify): plain
// digits below 1e21. -0 keeps its sign. `number` must be finite.
void append_json_number(std::string& out, double number);

// The double nearest to the text of a JSON number; nothing if it is beyond the range of doubles, or too small for them.
std::optional<double> parse_json_double(std::string_view text);

// Whether a JSON number of more than 64 bits, without fraction and exponent, is written back in the same digits.
bool keeps_digits(std::string_view text, double number);

}  // namespace web
