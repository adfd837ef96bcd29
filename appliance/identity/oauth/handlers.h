#pragma once

#include <optional>

#include "appliance/identity/oauth/routes.h"
#include "web/routes/endpoint.h"

namespace oauth {

// Whatever the query holds, the answer is a redirect.
struct RedirectQuery {
  std::optional<web::Text<1, 100>> inviteCode;
};
BOOST_DESCRIBE_STRUCT(RedirectQuery, (), (inviteCode))

// The flow's cookie of a request.
Browser browser_of(const web::Request&, std::string_view cookie_name);

web::Answer redirect_to_provider(const Services&, const RouteNames&, const web::Request&);
web::Answer finish_sign_in(const Services&, const RouteNames&, const web::Request&);

}  // namespace oauth
