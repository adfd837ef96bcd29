// Runs the tasks that others give to agents: each is a message to the agent, and its answer. Callers other than its
// owner are peers (chat::Sender).
#pragma once

#include <boost/asio/io_context.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "appliance/hosting/chat/chat.h"
#include "appliance/network/a2a/progress.h"
#include "appliance/network/a2a/records.h"
#include "appliance/network/bus/daily_limit.h"
#include "appliance/network/bus/participant.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace a2a {

// Who gives tasks to an agent.
struct Caller {
  store::UserId user = 0;
  std::string agent;  // empty: the user, with an API key
  std::string plan;   // of a calling agent of the box itself
  std::string name() const { return agent.empty() ? "user:" + std::to_string(user) : "agent:" + agent; }
};

struct NewTask {
  std::string context;          // empty: a new one
  boost::json::object message;  // in the form of 1.0
  std::string prompt;
};

struct StartedTask {
  Task task;
  std::shared_ptr<Progress> progress;
};

// Callable from every thread. All arguments must outlive it.
class Tasks {
 public:
  Tasks(store::System system, chat::Chat& chat, const bus::DailyLimit& limit, boost::asio::io_context& home)
      : system_(std::move(system)), chat_(chat), limit_(limit), home_(home) {}

  // Stores the task and starts it. too_many: the caller's plan allows no more messages today; forbidden: the agent's
  // owner is disabled.
  web::Task<web::Result<StartedTask>> submit(bus::Participant agent, Caller, NewTask);
  // Nothing if it is another caller's.
  std::optional<Task> find(const bus::Participant& agent, const Caller&, std::string_view id) const;
  // Newest first.
  std::vector<Task> list(const bus::Participant& agent, const Caller&, std::size_t limit) const;
  // The task as it is afterwards; conflict if it had ended. The agent may finish its answer, which is then dropped.
  web::Task<web::Result<Task>> cancel(Task);
  // Of a task that runs; null if it does not.
  std::shared_ptr<Progress> progress_of(std::string_view id) const;

  // Tasks that were running when the box ended have failed.
  web::Task<> recover();
  // All tasks of an agent.
  web::Task<> forget(store::UserId, std::string agent);
  // What a user and the user's agents asked of agents of others. Before the user's agents are removed.
  web::Task<> forget_caller(store::UserId);
  // Removes tasks that are older than what the bus keeps.
  web::Task<> sweep(store::Time now);

 private:
  web::Task<> run(Task, chat::Sender, std::shared_ptr<Progress>);
  web::Task<std::optional<Task>> enter(const Task&, State, std::string answer, std::string failure);
  web::Task<> erase(std::vector<Task>);

  store::System system_;
  chat::Chat& chat_;
  const bus::DailyLimit& limit_;
  boost::asio::io_context& home_;
  mutable std::mutex mutex_;  // protects running_
  std::map<std::string, std::shared_ptr<Progress>, std::less<>> running_;
};

}  // namespace a2a
