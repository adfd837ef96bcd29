#pragma once

#include <vector>

#include "appliance/identity/sign_in/sign_in.h"
#include "appliance/identity/guards.h"
#include "web/route.h"

namespace sign_in {

// Web: going on with a sign-in that lacks the second factor. The services must outlive the rows.
std::vector<web::Route> routes(SignIn&, const agentbox::Guards&);

}  // namespace sign_in
