#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/identity/audit/audit.h"
#include "store/store.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace plan_egress {

// What the rows depend on; all of it must outlive them.
struct Services {
  store::System system;
  audit::Audit& audit;
};

struct NewBound {
  boost::json::value egress;
};
BOOST_DESCRIBE_STRUCT(NewBound, (), (egress))

struct BoundView {
  std::string plan;
  boost::json::value egress;
};
BOOST_DESCRIBE_STRUCT(BoundView, (), (plan, egress))

struct BoundList {
  std::vector<BoundView> plans;
};
BOOST_DESCRIBE_STRUCT(BoundList, (), (plans))

// /api/admin/plans.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace plan_egress
