// Errors that input can cause are values: services return Result<T>, and one function (error_response in reply.h) turns
// an Error into {error, code?, ...}. Bugs and failures of the machine throw.
#pragma once

#include <boost/json/object.hpp>
#include <boost/system/result.hpp>
#include <stdexcept>
#include <string>
#include <utility>

namespace web {

// Why a call could not be served. The kind alone determines the HTTP status (http_status).
enum class Kind {
  invalid,           // 400 bad input; the message names the field
  unauthenticated,   // 401
  payment_required,  // 402
  forbidden,         // 403
  not_found,         // 404 also for objects of other users
  conflict,          // 409
  too_large,         // 413
  too_many,          // 429
  abandoned,         // 499 the client has disconnected
  internal,          // 500
  bad_gateway,       // 502 an upstream gave an invalid response or none
  unavailable,       // 503
  timeout            // 504
};

struct [[nodiscard]] Error {
  Kind kind = Kind::internal;
  std::string message;        // for the client: a sentence, no secrets
  std::string code;           // named code of the contract (PLAN_REQUIRED, ...), or empty
  std::string detail;         // for the log only
  boost::json::object extra;  // further body fields (current, limit, allowedModels, ...)
};

template <class T>
using Result = boost::system::result<T, Error>;

// Makes Result<T>::value() throw: reading the value of a failed result is a bug.
[[noreturn]] inline void throw_exception_from_error(const Error& error, const boost::source_location&) {
  throw std::logic_error("value() of a failed result: " + error.message);
}

inline Error invalid(std::string message) { return {.kind = Kind::invalid, .message = std::move(message)}; }
inline Error unauthenticated(std::string message = "Unauthorized") {
  return {.kind = Kind::unauthenticated, .message = std::move(message)};
}
inline Error forbidden(std::string message = "Forbidden") {
  return {.kind = Kind::forbidden, .message = std::move(message)};
}
inline Error not_found(std::string message = "Not found") {
  return {.kind = Kind::not_found, .message = std::move(message)};
}
inline Error conflict(std::string message) { return {.kind = Kind::conflict, .message = std::move(message)}; }
inline Error internal(std::string message, std::string detail = {}) {
  return {.kind = Kind::internal, .message = std::move(message), .detail = std::move(detail)};
}
inline Error bad_gateway(std::string message) { return {.kind = Kind::bad_gateway, .message = std::move(message)}; }
inline Error unavailable(std::string message, std::string detail = {}) {
  return {.kind = Kind::unavailable, .message = std::move(message), .detail = std::move(detail)};
}

}  // namespace web
