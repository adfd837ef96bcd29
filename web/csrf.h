// Requests that a browser sends for another site.
#pragma once

#include "web/http.h"

namespace web {

// Whether a browser marks this state-changing request as another site's: Sec-Fetch-Site other than same-origin or none,
// or without it an Origin that is not the request's own host. Clients that send neither header are no browsers. GET,
// HEAD and OPTIONS, and requests with a bearer, which no browser adds by itself, are never cross-site here.
bool is_cross_site(const Request&);

// Whether the Origin header, when there is one, names the host that the request was sent to, and https if it came by
// that.
bool origin_is_own(const Request&);

}  // namespace web
