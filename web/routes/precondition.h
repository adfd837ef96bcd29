// For rows whose path names something: what does not exist is answered before the body is read.
#pragma once

#include <utility>

#include "web/routes/endpoint.h"

namespace web {

// `check` takes (const Request&) and returns Result<void>: an error of it is the answer, whatever the body.
template <class Check>
Endpoint check_before(Check check, Endpoint endpoint) {
  endpoint.handle = [check = std::move(check),
                     handle = std::move(endpoint.handle)](Request& request) -> Task<Result<Response>> {
    if (const auto checked = check(request); !checked) co_return checked.error();
    co_return co_await handle(request);
  };
  return endpoint;
}

}  // namespace web
