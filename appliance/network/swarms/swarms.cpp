#include "appliance/network/swarms/swarms.h"

#include <algorithm>

#include "appliance/foundation/crypto/random.h"
#include "store/transact.h"
#include "web/utf8.h"

namespace swarms {

namespace {

constexpr std::size_t max_name_bytes = 80;

web::Error limit_reached(const std::string& counter, std::int64_t current) {
  const bool running = counter == unfinished_count.name;
  const auto limit = running ? max_unfinished : max_stored;
  web::Error error{.kind = web::Kind::too_many,
                   .message = running ? std::to_string(limit) + " of your swarms are at work: wait for one, or stop it."
                                      : "You have " + std::to_string(limit) + " swarms: delete one first."};
  error.extra["current"] = current;
  error.extra["limit"] = limit;
  return error;
}

bool has_role_of_orchestrator(const agents::Agent& agent) {
  const auto* role = agent.config.if_contains("role");
  return role && *role == "orchestrator";
}

std::string swarm_name(const NewSwarm& wanted) {
  if (!wanted.name.empty()) return wanted.name;
  return web::headline(wanted.goal, max_name_bytes);
}

}  // namespace

web::Result<std::string> Swarms::orchestrator_of(store::UserId user, const NewSwarm& wanted) const {
  std::string orchestrator = wanted.orchestrator;
  for (std::size_t i = 0; i < wanted.agents.size(); ++i) {
    const auto agent = agents_.find(user, wanted.agents[i]);
    if (!agent) return web::not_found("agents[" + std::to_string(i) + "]: no such agent");
    if (std::count(wanted.agents.begin(), wanted.agents.end(), wanted.agents[i]) > 1)
      return web::invalid("agents[" + std::to_string(i) + "] occurs twice");
    if (orchestrator.empty() && has_role_of_orchestrator(*agent)) orchestrator = agent->id;
  }
  if (orchestrator.empty()) return wanted.agents.front();
  if (std::ranges::count(wanted.agents, orchestrator) == 0) return web::invalid("orchestrator must be one of agents");
  return orchestrator;
}

web::Task<web::Result<Swarm>> Swarms::create(web::Caller caller, NewSwarm wanted) {
  auto orchestrator = orchestrator_of(caller.user_id, wanted);
  if (!orchestrator) co_return orchestrator.error();
  const auto left = budget_.left(caller, wanted.agents);
  if (!left) co_return left.error();
  auto most = *left;
  if (wanted.max_cost) most = most ? std::min(*most, *wanted.max_cost) : *wanted.max_cost;
  const auto now = store::now();
  Swarm swarm{.owner = caller.user_id,
              .id = "sw_" + crypto::random_id(20),
              .name = swarm_name(wanted),
              .goal = std::move(wanted.goal),
              .agents = std::move(wanted.agents),
              .orchestrator = std::move(*orchestrator),
              .events = 1,
              .max_cost = most ? std::optional(most->units()) : std::nullopt,
              .created_at = now,
              .deadline = now + wanted.time};
  swarm.spent_before = budget_.spent(swarm.owner, swarm.agents, now).units();
  const auto tenant = system_.tenant(swarm.owner);
  const Event created{.owner = swarm.owner,
                      .id = part_id(swarm.id, 1),
                      .swarm = swarm.id,
                      .number = 1,
                      .at = now,
                      .kind = EventKind::created,
                      .data = {{"goal", swarm.goal}, {"orchestrator", swarm.orchestrator}}};
  auto change = tenant.change();
  change.insert(swarms, swarm);
  change.insert(events, created);
  change.add(swarm.owner, unfinished_count, 1, max_unfinished);
  change.add(swarm.owner, stored_count, 1, max_stored);
  const auto outcome = co_await change.commit();
  if (outcome.kind == store::Outcome::Kind::over_bound)
    co_return limit_reached(outcome.index, tenant.counter({outcome.index}));
  coordinator_.begin(swarm);
  co_return swarm;
}

std::vector<Swarm> Swarms::list(store::UserId user) const {
  auto found = system_.tenant(user).list(swarms, store::Page{.limit = std::size_t(max_stored)});
  std::ranges::stable_sort(found, std::ranges::greater(), &Swarm::created_at);
  return found;
}

std::optional<Swarm> Swarms::find(store::UserId user, std::string_view id) const {
  auto row = system_.tenant(user).get(swarms, id);
  if (!row) return std::nullopt;
  return std::move(row->value);
}

std::vector<Task> Swarms::tasks_of(const Swarm& swarm) const { return coordinator_.tasks_of(swarm); }

std::vector<Event> Swarms::events_after(const Swarm& swarm, std::int64_t number, std::size_t limit) const {
  auto found = system_.tenant(swarm.owner).list(events, {.limit = limit, .after = part_id(swarm.id, number)});
  std::erase_if(found, [&](const Event& event) { return event.swarm != swarm.id; });
  return found;
}

web::Task<web::Result<Swarm>> Swarms::stop(store::UserId user, std::string id) {
  const auto swarm = find(user, id);
  if (!swarm) co_return no_such_swarm();
  if (is_finished(swarm->state)) co_return web::conflict("This swarm is finished.");
  auto stopped = co_await coordinator_.stop(*swarm, std::string(stopped_by_owner));
  if (!stopped) co_return web::conflict("This swarm is finished.");
  co_return std::move(*stopped);
}

web::Task<web::Result<void>> Swarms::remove(store::UserId user, std::string id) {
  const auto tenant = system_.tenant(user);
  const auto erase = [&](store::Change& change) -> web::Result<void> {
    const auto row = tenant.get(swarms, id);
    if (!row) return no_such_swarm();
    if (!is_finished(row->value.state)) return web::conflict("This swarm is at work: stop it first.");
    change.erase(swarms, *row);
    change.add(user, stored_count, -1);
    for (std::int64_t number = 1; number <= row->value.tasks; ++number)
      if (const auto task = tenant.get(tasks, part_id(id, number))) change.erase(tasks, *task);
    for (std::int64_t number = 1; number <= row->value.events; ++number)
      if (const auto event = tenant.get(events, part_id(id, number))) change.erase(events, *event);
    return {};
  };
  co_return co_await store::transact(tenant, erase);
}

}  // namespace swarms
