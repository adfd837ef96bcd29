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

// The same with what deletes a cookie that was set for `domain` and `path`, which must be of letters that a cookie's
// attributes may have. One for the host alone stays.
inline Response without_domain_cookie(Response response, const Cookie& cleared, std::string_view domain,
                                      std::string_view path) {
  std::string text = to_string(cleared);
  constexpr std::string_view own_path = "; Path=/";
  text.replace(text.find(own_path), own_path.size(), "; Domain=" + std::string(domain) + "; Path=" + std::string(path));
  response.set("Set-Cookie", std::move(text));
  return response;
}

}  // namespace web
