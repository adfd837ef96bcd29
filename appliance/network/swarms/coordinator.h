// Runs swarms: has the orchestrator plan, hands out the tasks, collects their answers and has them joined. Every step
// is stored before the next one, so that a swarm goes on after a restart of the box. Tasks go through the service
// behind POST /api/chat: the members are the user's own agents, and the conversation of each shows what it did.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "appliance/foundation/task_group.h"
#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/chat/chat.h"
#include "appliance/network/swarms/budget.h"
#include "appliance/network/swarms/followers.h"
#include "appliance/network/swarms/records.h"

namespace swarms {

class SwarmCoordinator {
 public:
  // Works on `home`. All arguments must outlive it.
  SwarmCoordinator(store::System, const agents::AgentDirectory&, chat::Chat&, const Budget&,
                   boost::asio::io_context& home);

  // Called when a swarm is finished, except by its owner. Before anything begins.
  void when_ended(std::function<void(const Swarm&)> ended) { ended_ = std::move(ended); }
  // Works on it until it is finished, or a limit stops it. Callable from every thread.
  void begin(const Swarm&);
  // Finishes it with the answers that there are. Nothing if it is finished. Agents at work are not interrupted, but
  // their answers are no longer waited for. Callable from every thread.
  web::Task<std::optional<Swarm>> stop(Swarm, std::string reason);
  // Goes on with the swarms that an earlier process left.
  web::Task<> recover();
  // Gives up the work, for recover() of the next process.
  web::Task<> end() { return background_.stop(); }

  std::vector<Task> tasks_of(const Swarm&) const;
  Followers& followers() { return followers_; }

 private:
  // Changes the swarm in one change with its event and whatever `edit` adds; nothing if it is finished.
  using Edit = std::function<void(Swarm&, store::Change&)>;
  web::Task<std::optional<Swarm>> advance(store::UserId, std::string swarm, EventKind, boost::json::object data,
                                          Edit edit = {});
  web::Task<std::optional<Swarm>> finish(Swarm, State, std::string reason, std::string result);

  web::Task<> conduct(store::UserId, std::string swarm);
  web::Task<> guard_limits(store::UserId, std::string swarm);
  web::Task<> plan(Swarm);
  web::Task<> work(Swarm);
  web::Task<> join(Swarm);
  web::Task<> start_ready(const Swarm&, std::vector<Task>);
  web::Task<> start_task(Swarm, Task);
  web::Task<> perform(Swarm, Task);
  web::Task<web::Result<chat::Answer>> ask(Swarm, std::string agent, std::string text);
  web::Task<> reset_interrupted(Swarm);

  std::optional<Swarm> find(store::UserId, std::string_view id) const;
  std::vector<agents::Agent> members_of(const Swarm&) const;

  store::System system_;
  const agents::AgentDirectory& agents_;
  chat::Chat& chat_;
  const Budget& budget_;
  boost::asio::io_context& home_;
  const store::Time began_ = store::now();
  std::function<void(const Swarm&)> ended_;
  Followers followers_;
  agentbox::TaskGroup background_;
};

}  // namespace swarms
