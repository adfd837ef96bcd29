// Field types with bounds, so that a body struct defines its own validation:
//
//   struct Register {
//     Text<1, 254> email;
//     Text<8, 256> password;
//     std::optional<Text<1, 100>> name;
//   };
//   BOOST_DESCRIBE_STRUCT(Register, (), (email, password, name))
//
// Known member types: Text, Prose, Verbatim, Id, Integer, Number, NumberBetween, bool, std::int64_t, double,
// std::string (as Text<0, 1'048'576>), described enums (by name), std::optional, List, std::vector (as List of at most
// 1,000), boost::json::object and value (free form), and nested described structs. An absent optional and an explicit
// null are both empty; every other member is required. Errors are Kind::invalid and name the field: "email is
// required", "password must be at least 8 characters", "tier must be one of: starter, pro", "tags[2] must be a string".
#pragma once

#include <boost/describe.hpp>
#include <boost/json.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "web/protocol/http.h"
#include "web/routes/described.h"

namespace web {

// Valid UTF-8, Min to Max code points, not blank unless Min is 0, no control characters. Leading and trailing white
// space is kept.
template <std::size_t Min, std::size_t Max>
struct Text : std::string {
  using std::string::string;
  Text() = default;
  Text(std::string text) : std::string(std::move(text)) {}
};

// The same, but line feeds, carriage returns and tabs are allowed (messages, file contents).
template <std::size_t Min, std::size_t Max>
struct Prose : std::string {
  using std::string::string;
  Prose() = default;
  Prose(std::string text) : std::string(std::move(text)) {}
};

// The same, but every control character is allowed except NUL, and it may be blank (content of files).
template <std::size_t Min, std::size_t Max>
struct Verbatim : std::string {
  using std::string::string;
  Verbatim() = default;
  Verbatim(std::string text) : std::string(std::move(text)) {}
};

// An identifier: 1 to 128 letters, digits, '-' and '_'.
struct Id : std::string {
  using std::string::string;
  Id() = default;
  Id(std::string text) : std::string(std::move(text)) {}
};

// A whole JSON number within [Lo, Hi].
template <std::int64_t Lo, std::int64_t Hi>
struct Integer {
  std::int64_t value = Lo;
  operator std::int64_t() const { return value; }
};

// Any finite JSON number.
struct Number {
  double value = 0;
  operator double() const { return value; }
};

// A JSON number within [Lo, Hi].
template <std::int64_t Lo, std::int64_t Hi>
struct NumberBetween {
  double value = static_cast<double>(Lo);
  operator double() const { return value; }
};

// A JSON array of Min to Max items.
template <class T, std::size_t Min, std::size_t Max>
struct List : std::vector<T> {
  using std::vector<T>::vector;
};

// The deepest nesting of arrays and objects a JSON text may have.
inline constexpr std::size_t max_json_depth = 32;

// Strict JSON: one value and nothing after it, at most 32 levels, no duplicate keys, valid UTF-8. Numbers come back as
// they were sent: within 64 bits, or as the nearest double; a larger whole number must keep its digits as a double, and
// a number beyond the range of doubles is refused. The error is Kind::invalid and names the field; `what` names the
// whole text ("Body").
Result<boost::json::value> parse_json(std::string_view text, std::string_view what = "Body");

// The request's body as T, a described struct or boost::json::object. It must be a JSON object; the dispatcher checks
// its Content-Type. An empty body is an empty object when T is a struct of which no member is required.
template <class T>
Result<T> parse_body(const Request&);
// The query string as T: numbers and booleans are read from their text; a vector takes every occurrence of its name,
// all else at most one. Unknown names are ignored.
template <class T>
Result<T> parse_query(const Request&);
// Also for values from files or tool calls; `where` prefixes the field names.
template <class T>
Result<T> parse_value(const boost::json::value&, std::string_view where = {});
// JSON Schema 2020-12 of the described struct T.
template <class T>
boost::json::value schema_of();

}  // namespace web

#include "web/routes/fields_read.h"
#include "web/routes/fields_schema.h"
