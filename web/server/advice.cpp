#include "web/server/advice.h"

#include <algorithm>

namespace web {

bool carries(const Response& response, std::string_view header) {
  return std::ranges::any_of(response.headers, [&](const auto& one) { return one.first == header; });
}

Response with_advice(Response response, const Route& route, const ListenerOptions& options) {
  if (response.status == 401 && route.guard.scheme == "bearer") {
    auto challenge = options.challenge ? options.challenge(route.path) : std::string();
    response.set("WWW-Authenticate", challenge.empty() ? "Bearer" : std::move(challenge));
  }
  if (response.status == 503 && !carries(response, "Retry-After")) response.set("Retry-After", "5");
  return response;
}

}  // namespace web
