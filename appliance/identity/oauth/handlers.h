#pragma once

#include "appliance/identity/handlers.h"
#include "appliance/identity/oauth/routes.h"

namespace oauth {

// The flow's cookie of a request.
Browser browser_of(const web::Request&, std::string_view cookie_name);

identity::Answer redirect_to_provider(const Services&, const web::Request&);
identity::Answer finish_sign_in(const Services&, const web::Request&);

}  // namespace oauth
