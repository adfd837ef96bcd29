// Answers: described structs to JSON, errors to {error, code?, ...}.
#pragma once

#include <boost/describe.hpp>
#include <boost/json.hpp>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "web/http.h"

namespace web {

// ISO 8601 in UTC with milliseconds: 2026-01-31T12:00:00.000Z
std::string iso8601(std::chrono::sys_time<std::chrono::milliseconds>);

// JSON of any described struct: optionals become null, time points ISO 8601, described enums their names.
template <class T>
boost::json::value to_json(const T&);

int http_status(Kind);
// {error, code?, ...extra}; the detail stays out.
Response error_response(const Error&);

template <class T>
Response reply(const T& body, int status) {
  return json(to_json(body), status);
}

}  // namespace web
