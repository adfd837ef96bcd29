#include "appliance/network/swarms/handlers.h"

namespace swarms {

namespace {

using web::Request;

constexpr auto highest_cost = usage::Money::of_units(1'000'000'000'000'000'000);  // a million dollars

web::Result<NewSwarm> new_swarm(CreateRequest body) {
  NewSwarm wanted{.goal = std::move(body.goal), .agents = {body.agents.begin(), body.agents.end()}};
  if (body.name) wanted.name = std::move(*body.name);
  if (body.orchestrator) wanted.orchestrator = std::move(*body.orchestrator);
  if (body.maxMinutes) wanted.time = std::chrono::minutes(body.maxMinutes->value);
  if (body.maxCostUsd) {
    const auto cost = usage::Money::parse(*body.maxCostUsd);
    if (!cost || *cost <= usage::Money() || *cost > highest_cost)
      return web::invalid("maxCostUsd must be US dollars above 0, as a decimal text such as \"0.50\"");
    wanted.max_cost = *cost;
  }
  return wanted;
}

}  // namespace

web::Answer list_swarms(const Services& services, const Request& request, ListQuery query) {
  SwarmList answer;
  const auto limit = std::size_t(query.limit ? query.limit->value : 50);
  for (auto& swarm : services.swarms.list(request.caller.user_id)) {
    if (query.state && swarm.state != *query.state) continue;
    if (answer.swarms.size() == limit) break;
    answer.swarms.push_back(view(std::move(swarm)));
  }
  answer.count = std::int64_t(answer.swarms.size());
  co_return web::reply(answer, 200);
}

web::Answer create_swarm(const Services& services, const Request& request, CreateRequest body) {
  auto wanted = new_swarm(std::move(body));
  if (!wanted) co_return wanted.error();
  auto swarm = co_await services.swarms.create(request.caller, std::move(*wanted));
  if (!swarm) co_return swarm.error();
  co_return web::reply(view(std::move(*swarm)), 201);
}

web::Answer show_swarm(const Services& services, const Request& request) {
  auto swarm = services.swarms.find(request.caller.user_id, request.param("id"));
  if (!swarm) co_return no_such_swarm();
  auto list = services.swarms.tasks_of(*swarm);
  co_return web::reply(detail(std::move(*swarm), std::move(list)), 200);
}

web::Answer stop_swarm(const Services& services, const Request& request) {
  auto stopped = co_await services.swarms.stop(request.caller.user_id, request.param("id"));
  if (!stopped) co_return stopped.error();
  co_return web::reply(view(std::move(*stopped)), 200);
}

web::Answer remove_swarm(const Services& services, const Request& request) {
  const Removed answer{.id = request.param("id")};
  const auto removed = co_await services.swarms.remove(request.caller.user_id, answer.id);
  if (!removed) co_return removed.error();
  co_return web::reply(answer, 200);
}

}  // namespace swarms
