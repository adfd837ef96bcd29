// Which ways of signing in this box offers.
#pragma once

#include <boost/describe.hpp>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/foundation/settings/settings.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace sign_in_methods {

// All of it must outlive the rows.
struct Services {
  const agentbox::Settings& settings;
};

struct ProviderView {
  std::string id, name, url;
};
BOOST_DESCRIBE_STRUCT(ProviderView, (), (id, name, url))

struct MethodsView {
  bool password = true, wallet = true, socialId = false, breakGlass = false;
  std::vector<ProviderView> providers;
  std::string registration;
  bool sendsMail = false;
};
BOOST_DESCRIBE_STRUCT(MethodsView, (), (password, wallet, socialId, breakGlass, providers, registration, sendsMail))

// GET /api/auth/methods.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace sign_in_methods
