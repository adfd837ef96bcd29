#include "appliance/hosting/usage_history/handlers.h"

#include "web/routes/reply.h"

namespace usage_history {

web::Answer show_history(const Services& services, const agents::Target& target, const web::Request& request) {
  const auto agent = target(services.agents, request, {});
  if (!agent) co_return agent.error();
  HistoryAnswer answer{.id = agent->id, .intervalSeconds = std::chrono::seconds(interval).count(), .history = {}};
  for (const auto& usage : services.history.last_day(agent->owner, agent->id))
    answer.history.push_back({usage.begin, usage.cpu_percent, usage.memory_bytes});
  co_return web::reply(answer, 200);
}

}  // namespace usage_history
