// What answers say in their headers about the next request.
#pragma once

#include <string_view>

#include "web/server/server.h"

namespace web {

bool carries(const Response&, std::string_view header);

// How to authenticate, after 401; when to try again, after 503.
Response with_advice(Response, const Route&, const ListenerOptions&);

}  // namespace web
