#pragma once

#include <vector>

#include "appliance/access/guards.h"
#include "appliance/identity/sign_in/sign_in.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace sign_in {

// What the rows depend on; all of it must outlive them.
struct Services {
  SignIn& sign_in;
};

// Resuming a sign-in that waits for the second factor.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace sign_in
