// Cross-site requests of browsers.
#pragma once

#include "web/protocol/http.h"

namespace web {

// Whether a browser marks this state-changing request as cross-site: Sec-Fetch-Site other than same-origin or none, or
// with none or without that header an Origin other than the request's own host. Clients that send neither header are
// not browsers.
// GET, HEAD and OPTIONS are never cross-site here, nor are requests with a bearer token, which no browser adds by
// itself.
bool is_cross_site(const Request&);

// Whether the Origin header, if present, names the host that the request was sent to, and https if the request used it.
bool origin_is_own(const Request&);

}  // namespace web
