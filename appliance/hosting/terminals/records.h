// What is stored about terminals: the plans that include them.
#pragma once

#include <boost/describe.hpp>
#include <string>

#include "store/store.h"

namespace terminals {

// There is none for a plan without terminals.
struct PlanWithTerminals {
  std::string plan;
  store::Time changed_at{};
};
BOOST_DESCRIBE_STRUCT(PlanWithTerminals, (), (plan, changed_at))

inline const store::Global<PlanWithTerminals> plans{{.family = "terminal_plans", .number = 252},
                                                    &PlanWithTerminals::plan};

}  // namespace terminals
