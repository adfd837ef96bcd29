// Field types whose bounds are part of the type, so that a body struct reads as its own validation:
//
//   struct Register {
//     Text<1, 254> email;
//     Text<8, 256> password;
//     std::optional<Text<1, 100>> name;
//   };
//   BOOST_DESCRIBE_STRUCT(Register, (), (email, password, name))
//
// Known member types: Text, Prose, Integer, Number, bool, std::string (as Text<0, 1'048'576>), described enums (by name),
// std::optional, std::vector, boost::json::object and value (free form), Id, and nested described structs.
// An absent optional and an explicit null are both empty. Errors are Kind::invalid and name the field: "email is required",
// "password must be at least 8 characters", "tier must be one of: starter, pro, enterprise", "tags[2] must be a string".
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

#include "web/http.h"

namespace web {

// Valid UTF-8, Min to Max Unicode code points, no control characters at all. Surrounding white space is kept.
template <std::size_t Min, std::size_t Max>
struct Text : std::string {
  using std::string::string;
};

// The same, but line feeds, carriage returns and tabs are allowed (messages, file contents).
template <std::size_t Min, std::size_t Max>
struct Prose : std::string {
  using std::string::string;
};

// A whole JSON number within [Lo, Hi].
template <std::int64_t Lo, std::int64_t Hi>
struct Integer {
  std::int64_t value = Lo;
  operator std::int64_t() const { return value; }
};

template <class T>
Result<T> parse_body(const Request&);
template <class T>
Result<T> parse_query(const Request&);
// Also for values that come from elsewhere than a request (files, tool calls); `where` prefixes the field names.
template <class T>
Result<T> parse_value(const boost::json::value&, std::string_view where = {});
// JSON Schema 2020-12 of the described struct T.
template <class T>
boost::json::value schema_of();

}  // namespace web
