// The agents that were stopped because their owner's plan has no room for them.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>

#include "store/table.h"

namespace payments::plan_limits {

struct PlanStop {
  std::int64_t user_id = 0;
  std::string id;  // the agent's
  store::Time at{};
};
BOOST_DESCRIBE_STRUCT(PlanStop, (), (user_id, id, at))

inline const store::Owned<PlanStop> plan_stops{
    {.family = "plan_stops", .number = 124}, &PlanStop::user_id, &PlanStop::id, {}};

}  // namespace payments::plan_limits
