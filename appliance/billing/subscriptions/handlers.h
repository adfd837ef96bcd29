#pragma once

#include <boost/describe.hpp>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/identity/audit/audit.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace billing::plans {

// What the rows depend on; all of it must outlive them.
struct Services {
  Subscriptions& subscriptions;
  audit::Audit& audit;
};

struct Deployment {
  web::Text<1, 20> userId, plan;
};
BOOST_DESCRIBE_STRUCT(Deployment, (), (userId, plan))

struct Deployed {
  bool success = true;
  std::string subscriptionId;
  Plan plan;
  std::string status;
};
BOOST_DESCRIBE_STRUCT(Deployed, (), (success, subscriptionId, plan, status))

// POST /api/subscriptions/deploy.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace billing::plans
