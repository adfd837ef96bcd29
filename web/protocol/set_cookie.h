// The only place that writes Set-Cookie.
#pragma once

#include <utility>

#include "web/protocol/http.h"

namespace web {

// The response with the cookie added; cookies that it sets already stay.
inline Response with_cookie(Response response, const Cookie& cookie) {
  response.set("Set-Cookie", to_string(cookie));
  return response;
}

}  // namespace web
