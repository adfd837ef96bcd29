// Routes are data. A capability returns a vector of rows; from that one table come dispatch, 404 and 405, guards, body
// validation, rate limits, the access log's label, metrics and the OpenAPI document.
//
//   return {
//       {POST, "/api/register", guards.none, &limits.registration, body<Register>([&](Request& r, Register b) ->
//       Task<Result<Response>> {...}), "Create an account"}, {GET, "/api/agents/:id", guards.session, nullptr,
//       plain([&](Request& r) -> Task<Result<Response>> {...}).returns<Detail>(), "One agent"},
//   };
//
// Bodies are read before the handler runs and have the listener's limit (Limits::body_bytes). A row with a larger limit
// takes its body as a stream, within a limit of its own, and reads it piece by piece:
//
//   {POST, "/api/files", guards.session, nullptr,
//    stream(32u << 20, [&](Request& r, BodyStream& body) -> Task<Result<Response>> {
//      for (;;) {
//        const auto piece = co_await body.next();
//        if (!piece) co_return piece.error();
//        if (piece->empty()) break;
//        ...
//      }
//    }), "Upload files"},
//
// Its handler runs before the body has arrived, after rate limits, guard and CSRF rule. A handler that answers without
// having read the body to its end closes the connection; a client that sent Expect: 100-continue then sends nothing. Of
// streams that may exceed the listener's limit only a few are read at once (Limits::large_bodies); further ones get
// 503. A stream that fails (413, 400, 408) is answered by the connection, whatever the handler returns.
//
// Patterns: literal segments, ':name' (one non-empty segment) and, at the end, ':name+' (the rest of the path, in which
// a client may encode the slash). Deny is the default: a row cannot be written without a guard.
#pragma once

#include <chrono>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "web/protocol/http.h"
#include "web/routes/body_stream.h"

namespace web {

inline constexpr Method GET = Method::get, POST = Method::post, PUT = Method::put, PATCH = Method::patch,
                        DELETE = Method::del;

// Authorizes a request. `admit` runs before the body is parsed, on the connection's thread, and must not block.
struct Guard {
  std::string name;    // as in the route table and the OpenAPI security scheme: none, session, internal key, ...
  std::string scheme;  // "", "cookie" or "bearer": how the OpenAPI document describes it
  std::function<Result<Caller>(const Request&)> admit;
  bool forbids = false;  // refuses some authenticated callers (403); for the OpenAPI document
};

// A fixed window. Every response of a limited route has RateLimit-Limit, -Remaining and -Reset.
struct RateLimit {
  std::string group;  // routes of one group share one window per client
  unsigned limit = 0;
  std::chrono::seconds window{60};
  std::string message = "Too many requests, please slow down.";
  // It limits guesses at passwords, codes or tokens: ListenerOptions::login_limits applies instead of rate_limits.
  bool limits_guesses = false;
};

// Makes the JSON Schema (2020-12) of a body, a query or a response, when the OpenAPI document is requested: the schemas
// of all rows take most of a megabyte. Empty if there is none.
using Schema = std::function<boost::json::value()>;
using Handler = std::function<Task<Result<Response>>(Request&)>;
using StreamHandler = std::function<Task<Result<Response>>(Request&, BodyStream&)>;

// How one row reads its input and answers. Built by body<T>(), query<T>(), stream<T>() and plain() of endpoint.h.
struct Endpoint {
  Handler handle;
  Schema body, query_schema, answer;  // a body is JSON, and anything else is answered 415
  Schema problem;                     // of its errors' bodies; empty: {error, code?}
  int success = 200;
  std::string description;  // longer text for OpenAPI: shapes the contract leaves open are documented here
  // Of a row that streams its body: called instead of `handle` if the body has not arrived with the head.
  StreamHandler handle_stream;
  std::size_t stream_bytes = 0;   // the largest body; 0: the row does not stream it
  bool takes_last_slash = false;  // the row also answers at its path with a slash at the end
  // Errors beyond those that follow from the row's guard, input and limits, for OpenAPI.
  std::vector<Kind> failures;

  template <class T>
  Endpoint&& returns(int status = 200) &&;  // documents the success response; in endpoint.h
  Endpoint&& fails(std::initializer_list<Kind> kinds) && {
    failures.insert(failures.end(), kinds);
    return std::move(*this);
  }
  Endpoint&& with_last_slash() && {
    takes_last_slash = true;
    return std::move(*this);
  }
  Endpoint&& describe(std::string text) && {
    description = std::move(text);
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

// The form of error bodies for clients that expect another one than {error, code?}. It applies to `prefix` and all
// paths below it, with or without a row; the status does not change.
struct ErrorForm {
  std::string prefix;  // without a slash at its end
  std::function<boost::json::object(const Error&)> body;
  std::string content_type = {};  // empty: application/json
};

// Appends `rows` to `table`: a listener's table consists of the tables of its capabilities. (A row holds a reference,
// so vector::insert does not do.)
inline void append(std::vector<Route>& table, std::vector<Route> rows) {
  table.reserve(table.size() + rows.size());
  for (auto& row : rows) table.push_back(std::move(row));
}

}  // namespace web
