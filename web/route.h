// Routes are data. A capability returns a vector of rows; from that one table come dispatch, 404 and 405, guards, body
// validation, rate limits, the access log's label, metrics and the OpenAPI document.
//
//   return {
//       {POST, "/api/register", guards.none, &limits.registration, body<Register>([&](Request& r, Register b) ->
//       Task<Result<Response>> {...}), "Create an account"}, {GET, "/api/agents/:id", guards.session, nullptr,
//       plain([&](Request& r) -> Task<Result<Response>> {...}).returns<Detail>(), "One agent"},
//   };
//
// Patterns: literal segments, ':name' (one non-empty segment) and, at the end, ':name+' (all that is left, in which a
// client may write the slash encoded). Deny is the default: a row cannot be written without a guard.
#pragma once

#include <chrono>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "web/http.h"

namespace web {

inline constexpr Method GET = Method::get, POST = Method::post, PUT = Method::put, PATCH = Method::patch,
                        DELETE = Method::del;

// Decides who may pass. `admit` runs before the body is parsed, on the connection's thread, and must not block.
struct Guard {
  std::string name;    // as in the route table and the OpenAPI security scheme: none, session, internal key, ...
  std::string scheme;  // "", "cookie" or "bearer": how the OpenAPI document describes it
  std::function<Result<Caller>(const Request&)> admit;
  bool forbids = false;  // turns some callers away whom it knows (403); for the OpenAPI document
};

// A fixed window. Every answer of a limited route carries RateLimit-Limit, -Remaining and -Reset.
struct RateLimit {
  std::string group;  // routes of one group share one window per client
  unsigned limit = 0;
  std::chrono::seconds window{60};
  std::string message = "Too many requests, please slow down.";
};

// Writes the JSON Schema (2020-12) of a body, a query or an answer when the OpenAPI document is asked for: those of all
// rows together are most of a megabyte, and few boxes are ever asked. Empty when there is none.
using Schema = std::function<boost::json::value()>;
using Handler = std::function<Task<Result<Response>>(Request&)>;

// How one row reads its input and answers. Built by body<T>(), query<T>() and plain() of endpoint.h.
struct Endpoint {
  Handler handle;
  Schema body, query_schema, answer;
  Schema problem;  // of its errors' bodies; empty: {error, code?}
  int success = 200;
  std::string description;     // longer text for OpenAPI: shapes the contract leaves open are documented here
  std::size_t body_bytes = 0;  // the most it takes; 0: what its listener takes (Limits::body_bytes)
  // Errors beyond those that follow from the row's guard, input and limits, for OpenAPI.
  std::vector<Kind> failures;

  template <class T>
  Endpoint&& returns(int status = 200) &&;  // documents the success answer; in endpoint.h
  Endpoint&& fails(std::initializer_list<Kind> kinds) && {
    failures.insert(failures.end(), kinds);
    return std::move(*this);
  }
  Endpoint&& describe(std::string text) && {
    description = std::move(text);
    return std::move(*this);
  }
  // Takes bodies of up to `most` bytes. One beyond what the listener takes is read from callers that the guard admits,
  // while few of that size are under way (Limits::large_bodies); the others are answered 503 before they have sent it.
  Endpoint&& takes(std::size_t most) && {
    body_bytes = most;
    return std::move(*this);
  }
};

struct Route {
  Method method;
  std::string path;
  const Guard& guard;
  const RateLimit* rate;  // null: only the listener's own limit applies
  Endpoint endpoint;
  std::string summary;
};

// How errors are told on some paths, to clients that read another form than {error, code?}. It holds for `prefix` and
// all beneath it, whether a row answers there or not; status and headers stay what they are.
struct ErrorForm {
  std::string prefix;  // without a slash at its end
  std::function<boost::json::object(const Error&)> body;
};

// Puts `rows` behind `table`: a listener's table is made of the tables of its capabilities. (A row holds a reference,
// so vector::insert does not do.)
inline void append(std::vector<Route>& table, std::vector<Route> rows) {
  table.reserve(table.size() + rows.size());
  for (auto& row : rows) table.push_back(std::move(row));
}

}  // namespace web
