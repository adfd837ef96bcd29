// The durable queue between what owners want and what runs. A job is committed together with the record's change and
// erased together with its result, so that kill -9 at any moment loses nothing: what is found at start-up goes on.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "appliance/agents/ports.h"
#include "appliance/agents/records.h"
#include "appliance/runtime/engine.h"
#include "web/result.h"
#include "web/task.h"

namespace agents {

struct ProvisionerOptions {
  std::filesystem::path folder;  // data/agents: workspaces are folder/<id>/workspace
  bool start_agents = true;      // the kill switch: false leaves start jobs in the queue
  std::size_t parallel = 8;      // jobs at work at once
  std::chrono::milliseconds ready_deadline{15'000};
  std::chrono::seconds stop_grace{11};  // an agent lets running turns finish for ten
  std::size_t crashes = 3;              // so many ends in `crash_window` and it is not started again
  std::chrono::seconds crash_window{300};
};

class Provisioner {
 public:
  // Everything it does happens on `home`; blocking file work on `files`. The engine's on_exit is taken over.
  Provisioner(store::System, runtime::Engine&, Ports&, ProvisionerOptions, boost::asio::io_context& home,
              boost::asio::thread_pool& files);
  ~Provisioner();  // after stop(), or with `home` stopped

  // Where agents reach the box; before start().
  void set_addresses(std::string backend_url, std::string summarizer_url);
  // Also run when an agent is deleted, before its record goes; may run again after a crash. Before start().
  void when_removed(std::function<web::Task<>(store::UserId, std::string agent)> cleanup);

  // Adopts the agents that run, starts again those that should and those that know the box by an address it no longer
  // has, and takes up the jobs that were left.
  web::Task<> start();
  // Takes no further job, waits until those at work are done or put back. Agents go on running.
  web::Task<> stop();

  // Commits `edit` of the record and a job for it, replacing a job not yet done. not_found when there is no such
  // agent (of this owner) or it is being deleted. `edit` may run several times. The work begins at once.
  web::Task<web::Result<Agent>> ask(store::UserId, std::string agent, Action, std::function<void(Agent&)> edit);
  // A job of this agent has been committed by the caller. Callable from every thread.
  void notify(std::string agent);
  // Suspends until no job of this agent is left; the Error is the reason the last one failed.
  web::Task<web::Result<void>> finished(std::string agent);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace agents
