#include "appliance/hosting/usage_history/routes.h"

#include "appliance/hosting/rate_groups.h"
#include "appliance/hosting/usage_history/handlers.h"
#include "appliance/identity/key_scopes/key_guards.h"

namespace usage_history {

namespace {

constexpr auto about_history =
    "The last 24 hours, oldest first, in intervals of `intervalSeconds` that begin at `at`. A running agent is "
    "measured "
    "once a minute: `cpuPercent` is the average of the interval, of one core; `memoryBytes` is the most of it. "
    "Intervals "
    "in which the agent did not run are missing.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& reader = agentbox::session_or_key(guards, key_scopes::Scope::agents_read);
  return {
      {web::GET, "/api/agents/:id/stats/history", reader, &hosting::agents_rate,
       web::plain(on(show_history, agents::own_agent("id"))).returns<HistoryAnswer>().describe(about_history),
       "An agent's resource usage over a day"},
  };
}

}  // namespace usage_history
