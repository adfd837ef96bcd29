#include "appliance/hosting/web_search/handlers.h"

#include "appliance/hosting/plan_egress/plan_egress.h"

namespace web_search {

namespace {

constexpr std::int64_t default_hits = 8;

web::Answer search_web(const Services& services, const web::Request& request, SearchQuery query) {
  const auto agent = services.agents.find(request.caller.user_id, request.caller.agent);
  if (!agent) co_return web::not_found("No such agent");
  services.turns.taint(agent->id, "a search of the web");
  auto egress = plan_egress::egress_of(services.system, *agent);
  web::CallOrigin origin{.part = "web search", .user = agent->owner, .agent = agent->id};
  const auto limit = std::size_t(query.limit ? query.limit->value : default_hits);
  auto found =
      co_await services.search.search(services.system, std::move(origin), std::move(query.q), limit, std::move(egress));
  if (!found) co_return found.error();
  SearchAnswer answer{.provider = std::move(found->provider), .results = {}};
  for (auto& hit : found->hits)
    answer.results.push_back({std::move(hit.title), std::move(hit.url), std::move(hit.snippet)});
  co_return web::reply(answer, 200);
}

constexpr auto description =
    "Asks the box's search provider: SearXNG (SEARCH_URL), Brave or Tavily. Results of hosts that the agent's egress "
    "does not admit are left out. 409 if no provider is set, 403 for an agent with egress none, 429 with limit and "
    "resetsAt beyond 500 searches of the agent a day (UTC).";

}  // namespace

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/agent-search", guards.agent_token, nullptr,
       web::query<SearchQuery>(on(search_web))
           .returns<SearchAnswer>()
           .describe(description)
           .fails({web::Kind::bad_gateway, web::Kind::timeout, web::Kind::too_many}),
       "Search the web for the calling agent"},
  };
}

}  // namespace web_search
