// Turns typed handlers into endpoints. The body or query is a described struct (Boost.Describe); the types of its
// members define the validation (fields.h). A handler never sees invalid input.
#pragma once

#include <boost/describe.hpp>
#include <concepts>

#include "web/routes/bind.h"
#include "web/routes/fields.h"
#include "web/routes/reply.h"
#include "web/routes/route.h"

namespace web {

// What a handler returns. It is a free function that parses, validates, calls one service and replies; the table in
// routes.cpp binds it to the services of its capability (Bind).
using Answer = Task<Result<Response>>;

struct Succeeded {
  bool success = true;
};
BOOST_DESCRIBE_STRUCT(Succeeded, (), (success))

// A handler that takes (Request&, Body). The body must be a JSON object of `Body`'s fields, at most 32 levels, no
// duplicate keys; unknown fields are ignored. The dispatcher has answered 415 unless its Content-Type is
// application/json. No body at all is an empty object when every field is optional.
template <class Body, class F>
Endpoint body(F handler) {
  return {.handle = [handler = std::move(handler)](Request& request) -> Task<Result<Response>> {
            auto parsed = parse_body<Body>(request);
            if (!parsed) co_return parsed.error();
            co_return co_await handler(request, std::move(*parsed));
          },
          .body = schema_of<Body>};
}

// A handler that takes (Request&, Query), read from the query string; numbers and booleans are parsed from their text.
template <class Query, class F>
Endpoint query(F handler) {
  return {.handle = [handler = std::move(handler)](Request& request) -> Task<Result<Response>> {
            auto parsed = parse_query<Query>(request);
            if (!parsed) co_return parsed.error();
            co_return co_await handler(request, std::move(*parsed));
          },
          .query_schema = schema_of<Query>};
}

// A handler that takes (Request&, Input), read from the body or, without a body, from the query.
template <class Input, class F>
Endpoint body_or_query(F handler) {
  return {.handle = [handler = std::move(handler)](Request& request) -> Task<Result<Response>> {
            auto input = request.body.empty() ? parse_query<Input>(request) : parse_body<Input>(request);
            if (!input) co_return input.error();
            co_return co_await handler(request, std::move(*input));
          },
          .body = schema_of<Input>};
}

// A handler that takes (Request&, BodyStream&), or (Request&, Query, BodyStream&), and reads a body of at most `most`
// bytes itself; see route.h.
template <class Query = void, class F>
Endpoint stream(std::size_t most, F handler) {
  Endpoint endpoint;
  endpoint.handle_stream = [handler = std::move(handler)](Request& request,
                                                          BodyStream& body) -> Task<Result<Response>> {
    if constexpr (std::is_void_v<Query>) {
      co_return co_await handler(request, body);
    } else {
      auto parsed = parse_query<Query>(request);
      if (!parsed) co_return parsed.error();
      co_return co_await handler(request, std::move(*parsed), body);
    }
  };
  endpoint.handle = [handle = endpoint.handle_stream](Request& request) -> Task<Result<Response>> {
    WholeBody body(request.body);
    co_return co_await handle(request, body);
  };
  endpoint.stream_bytes = most;
  if constexpr (!std::is_void_v<Query>) endpoint.query_schema = schema_of<Query>;
  return endpoint;
}

// A handler that takes (Request&) only.
template <class F>
Endpoint plain(F handler) {
  return {.handle = std::move(handler)};
}

template <class T>
Endpoint&& Endpoint::returns(int status) && {
  answer = schema_of<T>;
  success = status;
  return std::move(*this);
}

}  // namespace web
