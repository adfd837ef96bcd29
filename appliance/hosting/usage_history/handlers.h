#pragma once

#include "appliance/hosting/agents/target.h"
#include "appliance/hosting/usage_history/routes.h"
#include "web/routes/endpoint.h"

namespace usage_history {

struct UsageView {
  store::Time at;
  double cpuPercent = 0;
  std::int64_t memoryBytes = 0;
};
BOOST_DESCRIBE_STRUCT(UsageView, (), (at, cpuPercent, memoryBytes))

struct HistoryAnswer {
  std::string id;
  std::int64_t intervalSeconds = 0;
  std::vector<UsageView> history;
};
BOOST_DESCRIBE_STRUCT(HistoryAnswer, (), (id, intervalSeconds, history))

web::Answer show_history(const Services&, const agents::Target&, const web::Request&);

}  // namespace usage_history
