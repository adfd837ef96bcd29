// Users' requests for a plan, which an administrator approves or denies.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "appliance/billing/subscriptions/plans.h"
#include "store/table.h"

namespace billing::plan_requests {

BOOST_DEFINE_ENUM_CLASS(State, pending, approved, denied)

// One row per user: a new request replaces the previous one.
struct PlanRequest {
  std::int64_t user_id = 0;
  std::string id = "request";  // record id within the owner; there is one
  Plan plan = Plan::label;
  std::string note;
  State state = State::pending;
  store::Time requested_at{};
  std::optional<store::Time> decided_at;
  std::string reason;  // of the decision; may be empty
};
BOOST_DESCRIBE_STRUCT(PlanRequest, (), (user_id, id, plan, note, state, requested_at, decided_at, reason))

inline const store::Owned<PlanRequest> plan_requests{{.family = "plan_requests", .number = 125},
                                                     &PlanRequest::user_id,
                                                     &PlanRequest::id,
                                                     {store::index<PlanRequest>(1, "state", &PlanRequest::state)}};

}  // namespace billing::plan_requests
