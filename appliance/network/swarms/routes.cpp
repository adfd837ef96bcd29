
#include <functional>

#include "appliance/network/swarms/descriptions.h"
#include "appliance/network/swarms/handlers.h"

namespace swarms {

namespace {

const web::RateLimit swarms_rate{.group = "swarms", .limit = 60};

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& session = guards.session;
  return {
      {web::GET, "/api/swarms", session, &swarms_rate,
       web::query<ListQuery>(on(list_swarms)).returns<SwarmList>().describe(descriptions::list), "List swarms"},
      {web::POST, "/api/swarms", session, &swarms_rate,
       web::body<CreateRequest>(on(create_swarm)).returns<SwarmItem>(201).describe(descriptions::create),
       "Start a swarm"},
      {web::GET, "/api/swarms/:id", session, &swarms_rate,
       web::plain(on(show_swarm)).returns<SwarmDetail>().describe(descriptions::show), "Show a swarm with its tasks"},
      {web::GET, "/api/swarms/:id/events", session, &swarms_rate,
       web::query<FollowQuery>(on(follow_swarm)).describe(descriptions::events), "Follow a swarm"},
      {web::POST, "/api/swarms/:id/stop", session, &swarms_rate,
       web::plain(on(stop_swarm)).returns<SwarmItem>().describe(descriptions::stop), "Stop a swarm"},
      {web::DELETE, "/api/swarms/:id", session, &swarms_rate,
       web::plain(on(remove_swarm)).returns<Removed>().describe(descriptions::remove), "Delete a swarm"},
  };
}

}  // namespace swarms
