#pragma once

#include "appliance/identity/oauth/routes.h"
#include "web/endpoint.h"

namespace oauth {

web::Answer redirect_to_provider(const Services&, const RouteNames&, const web::Request&);
web::Answer finish_sign_in(const Services&, const RouteNames&, const web::Request&);

}  // namespace oauth
