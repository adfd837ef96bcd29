// Responses: described structs to JSON, errors to {error, code?, ...}.
//
// Member types: bool, integers, double (not finite: null), strings, described enums (their names), std::optional
// (null), std::vector, std::map with string keys, std::variant, std::chrono::sys_time (ISO 8601), boost::json types,
// nested described structs; any type with Boost.JSON's own hook, tag_invoke(value_from_tag, value&, const T&); and any
// other type with an explicit operator std::string (a decimal), as a string.
#pragma once

#include <boost/describe.hpp>
#include <boost/json.hpp>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "web/protocol/http.h"

namespace web {

// ISO 8601 in UTC with milliseconds: 2026-01-31T12:00:00.000Z
std::string iso8601(std::chrono::sys_time<std::chrono::milliseconds>);

// JSON of any described struct: optionals become null, time points ISO 8601, described enums their names.
template <class T>
boost::json::value to_json(const T&);

// The same JSON as text at the end of `out`, without building a boost::json::value. Bytes that are not UTF-8 become
// U+FFFD.
template <class T>
void write_json(std::string& out, const T&);

int http_status(Kind);
// {error, code?, ...extra}; the detail stays out. 429 and 503 carry Retry-After: `retryAfter` of extra, if it is there.
// `rateLimit` of extra, {limit, remaining, reset}, becomes the RateLimit fields instead.
Response error_response(const Error&);

template <class T>
Response reply(const T& body, int status) {
  Response response;
  response.status = status;
  write_json(response.body.emplace<std::string>(), body);
  return response;
}

}  // namespace web

#include "web/routes/reply_write.h"
