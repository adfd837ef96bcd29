#include "web/admission/csrf.h"

#include "web/ascii.h"

namespace web {

bool origin_is_own(const Request& request) {
  if (!request.has_header("Origin")) return true;
  const auto origin = request.header("Origin");
  const auto scheme_end = origin.find("://");
  if (scheme_end == std::string_view::npos) return false;
  // Not the reverse: a proxy that is not configured as trusted may have terminated TLS.
  if (request.secure && !equal_ignoring_case(origin.substr(0, scheme_end), "https")) return false;
  return equal_ignoring_case(origin.substr(scheme_end + 3), request.header("Host"));
}

bool is_cross_site(const Request& request) {
  if (request.method == Method::get || request.method == Method::head || request.method == Method::options)
    return false;
  if (request.bearer()) return false;
  const auto site = request.header("Sec-Fetch-Site");
  if (site == "same-origin") return false;
  // A request that no page has caused (none) has no page's Origin either: another one was written by something else.
  return (!site.empty() && site != "none") || !origin_is_own(request);
}

}  // namespace web
