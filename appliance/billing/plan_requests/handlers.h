#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/billing/plan_requests/plan_requests.h"
#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/audit/audit.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace billing::plan_requests {

// What the rows depend on; all of it must outlive them.
struct Services {
  PlanRequests& requests;
  const accounts::Accounts& accounts;
  audit::Audit& audit;
};

struct NewRequest {
  web::Text<1, 20> plan;
  std::optional<web::Prose<1, 1'000>> note;
};
BOOST_DESCRIBE_STRUCT(NewRequest, (), (plan, note))

struct RequestView {
  Plan plan;
  std::string note;
  State state;
  store::Time requestedAt;
  std::optional<store::Time> decidedAt;
  std::optional<std::string> reason;
};
BOOST_DESCRIBE_STRUCT(RequestView, (), (plan, note, state, requestedAt, decidedAt, reason))

struct OwnRequest {
  std::optional<RequestView> request;
};
BOOST_DESCRIBE_STRUCT(OwnRequest, (), (request))

struct PendingView {
  std::string userId, email;
  std::optional<std::string> currentPlan;
  RequestView request;
};
BOOST_DESCRIBE_STRUCT(PendingView, (), (userId, email, currentPlan, request))

struct PendingList {
  std::vector<PendingView> requests;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(PendingList, (), (requests, count))

struct DecisionRequest {
  std::optional<web::Prose<1, 1'000>> reason;
};
BOOST_DESCRIBE_STRUCT(DecisionRequest, (), (reason))

// /api/subscriptions/request; and /api/admin/plan-requests for administrators' sessions.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// /api/admin/plan-requests.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace billing::plan_requests
