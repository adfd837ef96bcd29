#include "appliance/network/swarms/coordinator.h"

#include <algorithm>

#include "appliance/access/records.h"
#include "appliance/models/builtin/builtin.h"
#include "appliance/network/swarms/plan.h"
#include "store/transact.h"
#include "web/log.h"
#include "web/utf8.h"

namespace swarms {

namespace json = boost::json;

namespace {

constexpr auto limits_check = std::chrono::seconds(1);
constexpr std::size_t max_answer_bytes = 64 * 1024, max_event_bytes = 4 * 1024;

json::array planned_tasks(const std::vector<Task>& planned) {
  json::array list;
  for (const auto& task : planned)
    list.push_back({{"task", task.number},
                    {"agentId", task.agent},
                    {"prompt", web::utf8_prefix(task.prompt, max_event_bytes)},
                    {"after", json::array(task.after.begin(), task.after.end())}});
  return list;
}

bool is_ready(const Task& task, const std::vector<Task>& all) {
  const auto waits_for = [&](const Task& other) {
    return (!is_finished(other.state) && std::ranges::count(task.after, other.number) > 0) ||
           (other.state == TaskState::running && other.agent == task.agent);
  };
  return task.state == TaskState::waiting && std::ranges::none_of(all, waits_for);
}

}  // namespace

SwarmCoordinator::SwarmCoordinator(store::System system, const agents::AgentDirectory& agents, chat::Chat& chat,
                                   const Budget& budget, boost::asio::io_context& home)
    : system_(std::move(system)),
      agents_(agents),
      chat_(chat),
      budget_(budget),
      home_(home),
      background_(home, "swarm_failed") {}

std::optional<Swarm> SwarmCoordinator::find(store::UserId user, std::string_view id) const {
  auto row = system_.tenant(user).get(swarms, id);
  if (!row) return std::nullopt;
  return std::move(row->value);
}

std::vector<Task> SwarmCoordinator::tasks_of(const Swarm& swarm) const {
  const auto tenant = system_.tenant(swarm.owner);
  std::vector<Task> found;
  for (std::int64_t number = 1; number <= swarm.tasks; ++number)
    if (auto row = tenant.get(tasks, part_id(swarm.id, number))) found.push_back(std::move(row->value));
  return found;
}

std::vector<agents::Agent> SwarmCoordinator::members_of(const Swarm& swarm) const {
  std::vector<agents::Agent> members;
  for (const auto& id : swarm.agents)
    if (auto agent = agents_.find(swarm.owner, id)) members.push_back(std::move(*agent));
  return members;
}

void SwarmCoordinator::begin(const Swarm& swarm) {
  background_.spawn(swarm.id, conduct(swarm.owner, swarm.id));
  background_.spawn(swarm.id, guard_limits(swarm.owner, swarm.id));
}

web::Task<std::optional<Swarm>> SwarmCoordinator::advance(store::UserId user, std::string id, EventKind kind,
                                                          json::object data, Edit edit) {
  const auto tenant = system_.tenant(user);
  const auto add_event = [&](store::Change& change) -> std::optional<Swarm> {
    auto row = tenant.get(swarms, id);
    if (!row || is_finished(row->value.state)) return std::nullopt;
    auto& swarm = row->value;
    swarm.spent =
        (budget_.spent(user, swarm.agents, swarm.created_at) - usage::Money::of_units(swarm.spent_before)).units();
    ++swarm.events;
    const Event event{.owner = user,
                      .id = part_id(id, swarm.events),
                      .swarm = id,
                      .number = swarm.events,
                      .at = store::now(),
                      .kind = kind,
                      .data = data};
    change.insert(events, event);
    if (edit) edit(swarm, change);
    change.update(swarms, *row);
    return std::move(swarm);
  };
  auto swarm = co_await store::transact(tenant, add_event);
  if (swarm) followers_.notify(id);
  co_return swarm;
}

// Unfinished tasks are cancelled.
web::Task<std::optional<Swarm>> SwarmCoordinator::finish(Swarm swarm, State state, std::string reason,
                                                         std::string result) {
  const auto kind = state == State::done     ? EventKind::done
                    : state == State::failed ? EventKind::failed
                                             : EventKind::stopped;
  json::object data;
  if (!reason.empty()) data["reason"] = reason;
  if (!result.empty()) data["result"] = web::utf8_prefix(result, max_event_bytes);
  const auto tenant = system_.tenant(swarm.owner);
  const Edit edit = [&](Swarm& now, store::Change& change) {
    now.state = state;
    now.reason = reason;
    now.result = result;
    now.finished_at = store::now();
    change.add(now.owner, unfinished_count, -1);
    for (const auto& task : tasks_of(now)) {
      if (is_finished(task.state)) continue;
      auto row = tenant.get(tasks, task.id);
      row->value.state = TaskState::cancelled;
      row->value.finished_at = now.finished_at;
      change.update(tasks, *row);
    }
  };
  auto ended = co_await advance(swarm.owner, swarm.id, kind, std::move(data), edit);
  if (ended && ended_ && ended->reason != stopped_by_owner) ended_(*ended);
  co_return ended;
}

web::Task<std::optional<Swarm>> SwarmCoordinator::stop(Swarm swarm, std::string reason) {
  auto finished = tasks_of(swarm);
  std::erase_if(finished, [](const Task& task) { return task.state != TaskState::done; });
  auto result = joined(finished, members_of(swarm));
  auto id = swarm.id;
  auto stopped = co_await finish(std::move(swarm), State::stopped, std::move(reason), std::move(result));
  background_.cancel(std::move(id));
  co_return stopped;
}

web::Task<> SwarmCoordinator::conduct(store::UserId user, std::string id) {
  for (;;) {
    auto swarm = find(user, id);
    if (!swarm) co_return;
    switch (swarm->state) {
      case State::planning:
        co_await plan(std::move(*swarm));
        break;
      case State::working:
        co_await work(std::move(*swarm));
        break;
      case State::joining:
        co_await join(std::move(*swarm));
        break;
      default:
        co_return;
    }
  }
}

// Ends the swarm's other coroutines, too, once a limit is reached.
web::Task<> SwarmCoordinator::guard_limits(store::UserId user, std::string id) {
  for (;;) {
    auto swarm = find(user, id);
    if (!swarm || is_finished(swarm->state)) co_return;
    std::string reason;
    if (store::now() >= swarm->deadline) reason = "Its time was up.";
    const auto spent =
        budget_.spent(user, swarm->agents, swarm->created_at) - usage::Money::of_units(swarm->spent_before);
    if (swarm->max_cost && spent.units() > 0 && spent.units() >= *swarm->max_cost)
      reason = "Its agents have spent " + spent.to_string() + " USD: the limit is " +
               usage::Money::of_units(*swarm->max_cost).to_string() + " USD.";
    if (!reason.empty()) {
      co_await stop(std::move(*swarm), std::move(reason));
      co_return;
    }
    co_await web::sleep_for(limits_check);
  }
}

web::Task<web::Result<chat::Answer>> SwarmCoordinator::ask(Swarm swarm, std::string agent, std::string text) {
  const auto owner = system_.get(accounts::users, swarm.owner);
  if (!owner || owner->value.is_disabled) co_return web::forbidden("The account of the swarm's owner is disabled.");
  auto sender = chat::Sender::of_owner(chat::Channel::swarm, swarm.id);
  sender.title = std::move(swarm.name);
  co_return co_await chat_.send(swarm.owner, std::move(agent), std::move(text), std::move(sender));
}

web::Task<> SwarmCoordinator::plan(Swarm swarm) {
  const auto members = members_of(swarm);
  auto request = planning_message(swarm, members);
  const auto answer = co_await ask(swarm, swarm.orchestrator, std::move(request));
  auto planned = answer ? plan_in(answer->message.content, swarm, members) : std::nullopt;
  const auto planner = planned ? Planner::agent : Planner::box;
  if (!planned) planned = plan_of_the_box(swarm);
  json::object data{{"by", boost::describe::enum_to_string(planner, "")}, {"tasks", planned_tasks(*planned)}};
  if (!answer) data["reason"] = answer.error().message;
  const Edit edit = [&](Swarm& now, store::Change& change) {
    now.state = State::working;
    now.planned_by = planner;
    now.tasks = std::int64_t(planned->size());
    for (const auto& task : *planned) change.insert(tasks, task);
  };
  co_await advance(swarm.owner, swarm.id, EventKind::planned, std::move(data), edit);
}

web::Task<> SwarmCoordinator::work(Swarm swarm) {
  const auto follower = followers_.follow(swarm.id, home_.get_executor());
  for (;;) {
    auto all = tasks_of(swarm);
    if (std::ranges::all_of(all, [](const Task& task) { return is_finished(task.state); })) break;
    co_await start_ready(swarm, std::move(all));
    co_await follower->wait();
    const auto now = find(swarm.owner, swarm.id);
    if (!now || now->state != State::working) co_return;
  }
  const Edit edit = [](Swarm& now, store::Change&) { now.state = State::joining; };
  json::object nothing;
  co_await advance(swarm.owner, swarm.id, EventKind::joining, std::move(nothing), edit);
}

web::Task<> SwarmCoordinator::start_ready(const Swarm& swarm, std::vector<Task> all) {
  for (auto& task : all) {
    if (!is_ready(task, all)) continue;
    task.state = TaskState::running;  // also for is_ready of those that follow
    co_await start_task(swarm, task);
  }
}

web::Task<> SwarmCoordinator::start_task(Swarm swarm, Task task) {
  const auto tenant = system_.tenant(swarm.owner);
  const Edit edit = [&](Swarm&, store::Change& change) {
    auto row = tenant.get(tasks, task.id);
    row->value.state = TaskState::running;
    row->value.started_at = store::now();
    ++row->value.attempts;
    change.update(tasks, *row);
    task = row->value;
  };
  json::object data{{"task", task.number}, {"agentId", task.agent}};
  if (co_await advance(swarm.owner, swarm.id, EventKind::task_started, std::move(data), edit))
    background_.spawn(swarm.id, perform(swarm, task));
}

web::Task<> SwarmCoordinator::perform(Swarm swarm, Task task) {
  auto message = task_message(swarm, task, tasks_of(swarm));
  const auto answer = co_await ask(swarm, task.agent, std::move(message));
  const auto tenant = system_.tenant(swarm.owner);
  json::object data{{"task", task.number}, {"agentId", task.agent}};
  if (answer)
    data["answer"] = web::utf8_prefix(answer->message.content, max_event_bytes);
  else
    data["error"] = answer.error().message;
  const Edit edit = [&](Swarm&, store::Change& change) {
    auto row = tenant.get(tasks, task.id);
    auto& ended = row->value;
    ended.state = answer ? TaskState::done : TaskState::failed;
    ended.finished_at = store::now();
    if (answer) {
      ended.answer = web::utf8_prefix(answer->message.content, max_answer_bytes);
      ended.model = answer->model;
    } else {
      ended.error = answer.error().message;
    }
    change.update(tasks, *row);
  };
  const auto kind = answer ? EventKind::task_done : EventKind::task_failed;
  co_await advance(swarm.owner, swarm.id, kind, std::move(data), edit);
}

web::Task<> SwarmCoordinator::join(Swarm swarm) {
  const auto all = tasks_of(swarm);
  const auto members = members_of(swarm);
  if (std::ranges::none_of(all, [](const Task& task) { return task.state == TaskState::done; })) {
    auto reason = "No task was finished. The first failed: " + (all.empty() ? std::string() : all.front().error);
    co_await finish(std::move(swarm), State::failed, std::move(reason), {});
    co_return;
  }
  std::string result;
  if (swarm.planned_by == Planner::agent) {
    auto request = joining_message(swarm, all, members);
    const auto answer = co_await ask(swarm, swarm.orchestrator, std::move(request));
    if (answer && answer->model != models::builtin_model) result = answer->message.content;
  }
  if (result.empty()) result = joined(all, members);
  co_await finish(std::move(swarm), State::done, {}, std::move(result));
}

// Tasks that were cut off are handed out again once.
web::Task<> SwarmCoordinator::reset_interrupted(Swarm swarm) {
  for (const auto& task : tasks_of(swarm)) {
    if (task.state != TaskState::running) continue;
    auto edit = [](Task& left) {
      if (left.state != TaskState::running) return;
      left.state = left.attempts < max_attempts ? TaskState::waiting : TaskState::failed;
      if (left.state == TaskState::failed) left.error = "The box was interrupted before the agent answered.";
    };
    co_await system_.tenant(swarm.owner).modify(tasks, task.id, edit);
  }
}

web::Task<> SwarmCoordinator::recover() {
  for (auto& swarm : system_.find_range(swarms, "unfinished", store::Time{}, began_, 100'000)) {
    co_await reset_interrupted(swarm);
    begin(swarm);
  }
}

}  // namespace swarms
