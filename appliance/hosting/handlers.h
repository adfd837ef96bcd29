// What the handlers of this module share. A handler is a free function that parses, validates, calls one service and
// replies; routes.cpp binds it to the Services of its capability.
#pragma once

#include <boost/describe.hpp>

#include "web/endpoint.h"

namespace hosting {

using Answer = web::Task<web::Result<web::Response>>;

struct Succeeded {
  bool success = true;
};
BOOST_DESCRIBE_STRUCT(Succeeded, (), (success))

// An endpoint whose `Input` is the body or, without a body, the query. The handler takes (Request&, Input).
template <class Input, class F>
web::Endpoint body_or_query(F handler) {
  return {.handle = [handler = std::move(handler)](web::Request& request) -> Answer {
            auto input = request.body.empty() ? web::parse_query<Input>(request) : web::parse_body<Input>(request);
            if (!input) co_return input.error();
            co_return co_await handler(request, std::move(*input));
          },
          .body = web::schema_of<Input>};
}

}  // namespace hosting
