// What is stored about the bounds of plans.
#pragma once

#include <boost/describe.hpp>
#include <string>
#include <vector>

#include "store/store.h"

namespace plan_egress {

// There is none for a plan that is not bounded.
struct Bound {
  std::string plan;
  bool is_none = false;
  std::vector<std::string> hosts;  // unless it is none
  store::Time changed_at{};
};
BOOST_DESCRIBE_STRUCT(Bound, (), (plan, is_none, hosts, changed_at))

inline const store::Global<Bound> bounds{{.family = "plan_egress", .number = 155}, &Bound::plan};

}  // namespace plan_egress
