#include "appliance/network/a2a/tasks.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/agents/owner_state.h"
#include "appliance/network/bus/records.h"
#include "web/log.h"

namespace a2a {

namespace {

constexpr std::size_t id_characters = 24, page = 200;
constexpr auto interrupted = "The box was interrupted before the agent answered.";

}  // namespace

web::Task<web::Result<StartedTask>> Tasks::submit(bus::Participant agent, Caller caller, NewTask wanted) {
  const auto now = store::now();
  const Task task{.owner = agent.owner,
                  .id = "task_" + crypto::random_id(id_characters),
                  .agent = agent.id,
                  .caller = caller.name(),
                  .context = wanted.context.empty() ? "ctx_" + crypto::random_id(id_characters) : wanted.context,
                  .state = State::submitted,
                  .message = std::move(wanted.message),
                  .prompt = std::move(wanted.prompt),
                  .answer = {},
                  .failure = {},
                  .created_at = now,
                  .updated_at = now,
                  .running = true};
  for (;;) {
    const auto current = bus::find_participant(system_, agent.owner, agent.id);
    if (!current) co_return web::not_found("No such agent");
    auto change = system_.change();
    if (const auto enabled = agents::require_enabled_owner(system_, agent.owner, change); !enabled)
      co_return enabled.error();
    change.require(bus::participants, *current);  // its deletion removes its tasks only once
    change.insert_new(table, task);
    const auto charge = limit_.add(change, caller.user, caller.plan);
    const auto outcome = co_await change.commit();
    if (charge.exceeds(outcome)) co_return charge.error();
    if (outcome.ok()) break;
  }
  const auto progress = std::make_shared<Progress>();
  {
    const std::lock_guard lock(mutex_);
    running_.emplace(task.id, progress);
  }
  // Each context of each caller is a conversation.
  auto sender = caller.user == agent.owner
                    ? chat::Sender::of_owner(chat::Channel::a2a, task.caller + "/" + task.context)
                    : chat::Sender::of_peer(chat::Channel::a2a, task.caller, caller.user, task.context);
  boost::asio::co_spawn(home_, run(task, std::move(sender), progress), boost::asio::detached);
  co_return StartedTask{task, progress};
}

web::Task<> Tasks::run(Task task, chat::Sender sender, std::shared_ptr<Progress> progress) {
  std::string answer, failure;
  try {
    auto question = co_await chat_.ask(task.owner, task.agent, task.prompt, std::move(sender));
    if (question) {
      co_await enter(task, State::working, {}, {});
      chat::Listener listener = [progress](const chat::Piece& piece) {
        if (const auto* text = std::get_if<std::string>(&piece)) progress->append(*text);
      };
      auto answered = co_await chat_.answer(std::move(*question), std::move(listener));
      if (answered)
        answer = std::move(answered->message.content);
      else
        failure = answered.error().message;
    } else {
      failure = question.error().message;
    }
    const auto state = failure.empty() ? State::completed : State::failed;
    const auto ended = co_await enter(task, state, std::move(answer), std::move(failure));
    progress->end(ended.value_or(task));
  } catch (const std::exception& error) {
    web::log::warning("a2a_task_failed", {{"task", task.id}, {"reason", std::string(error.what())}});
    task.state = State::failed;
    task.failure = "The answer could not be stored.";
    progress->end(task);
  }
  const std::lock_guard lock(mutex_);
  running_.erase(task.id);
}

// Leaves a task that has ended as it is. Returns it as it is then; nothing if it was removed with its agent.
web::Task<std::optional<Task>> Tasks::enter(const Task& task, State state, std::string answer, std::string failure) {
  const auto edit = [&](Task& current) {
    if (is_final(current.state)) return;
    current.state = state;
    current.answer = answer;
    current.failure = failure;
    current.updated_at = store::now();
    if (is_final(state)) current.running.reset();
  };
  co_return co_await system_.modify(table, task.owner, task.id, edit);
}

std::optional<Task> Tasks::find(const bus::Participant& agent, const Caller& caller, std::string_view id) const {
  auto row = system_.tenant(agent.owner).get(table, id);
  if (!row || row->value.agent != agent.id || row->value.caller != caller.name()) return std::nullopt;
  return std::move(row->value);
}

std::vector<Task> Tasks::list(const bus::Participant& agent, const Caller& caller, std::size_t limit) const {
  const auto first = caller_key(agent.id, caller.name());
  auto last = first;
  ++last.back();
  return system_.find_range(table, "caller", first, last, limit);
}

web::Task<web::Result<Task>> Tasks::cancel(Task task) {
  if (is_final(task.state)) co_return web::conflict("The task has ended.");
  auto ended = co_await enter(task, State::canceled, {}, {});
  if (!ended) co_return web::not_found("No such task");
  if (ended->state != State::canceled) co_return web::conflict("The task has ended.");
  if (const auto progress = progress_of(task.id)) progress->end(*ended);
  co_return std::move(*ended);
}

std::shared_ptr<Progress> Tasks::progress_of(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(id);
  return found == running_.end() ? nullptr : found->second;
}

web::Task<> Tasks::recover() {
  for (;;) {
    const auto cut_off = system_.find(table, "running", true, page);
    for (const auto& task : cut_off)
      if (!progress_of(task.id)) co_await enter(task, State::failed, {}, interrupted);
    if (cut_off.size() < page) co_return;
  }
}

web::Task<> Tasks::erase(std::vector<Task> old) {
  for (const auto& task : old) {
    const auto row = system_.get(table, task.owner, task.id);
    if (!row) continue;
    auto change = system_.change();
    change.erase(table, *row);
    co_await change.commit(store::Durability::relaxed);  // stale: it has just ended; the next sweep finds it
  }
}

web::Task<> Tasks::forget(store::UserId owner, std::string agent) {
  auto own = system_.tenant(owner).list(table, {.limit = std::size_t(-1)});
  std::erase_if(own, [&](const Task& task) { return task.agent != agent; });
  co_await erase(std::move(own));
}

web::Task<> Tasks::forget_caller(store::UserId user) {
  std::vector<std::string> callers{Caller{.user = user, .agent = {}, .plan = {}}.name()};
  for (const auto& agent : system_.tenant(user).list(bus::participants, {.limit = std::size_t(-1)}))
    callers.push_back(Caller{.user = user, .agent = agent.id, .plan = {}}.name());
  std::vector<Task> asked;
  system_.each(table, [&](const Task& task) {
    if (std::ranges::find(callers, task.caller) != callers.end()) asked.push_back(task);
    return true;
  });
  auto erasing = erase(std::move(asked));
  co_await std::move(erasing);
}

web::Task<> Tasks::sweep(store::Time now) {
  for (std::size_t found = page; found == page;) {
    auto old = system_.find_range(table, "created", store::Time{}, now - bus::kept, page);
    found = old.size();
    co_await erase(std::move(old));
  }
}

}  // namespace a2a
