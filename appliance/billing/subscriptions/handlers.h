#pragma once

#include <boost/describe.hpp>
#include <string>

#include "appliance/billing/subscriptions/routes.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace billing::plans {

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

web::Answer deploy_plan(const Services&, const web::Request&, Deployment);

}  // namespace billing::plans
