// The durable queue between what owners want and what runs. A job is committed together with the record's change and
// erased together with its result, so that kill -9 at any moment loses nothing: what is found at start-up goes on.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "appliance/hosting/agents/provisioning/ports.h"
#include "appliance/hosting/agents/records.h"
#include "appliance/hosting/runtime/engine.h"
#include "web/result.h"
#include "web/task.h"

namespace agents {

// How long an agent has until its gateway is ready, wherever somebody waits for that (the contract's waitForHealthy).
inline constexpr std::chrono::seconds healthy_within{60};

struct ProvisionerOptions {
  std::filesystem::path folder;  // data/agents: workspaces are folder/<id>/workspace
  bool start_agents = true;      // the kill switch: false leaves start jobs in the queue
  std::size_t parallel = 8;      // jobs at work at once
  std::chrono::milliseconds ready_deadline{healthy_within};
  std::chrono::seconds stop_grace{11};            // an agent lets running turns finish for ten
  std::chrono::milliseconds engine_pause{2'000};  // before an engine that did not answer is asked again
};

// Who decides what becomes of agents once they run, and is told how it goes with them. Called on `home`.
struct LifecycleObserver {
  std::function<void(const Agent&)> started;  // it has come up for its owner
  std::function<void(const Agent&)> adopted;  // it was found running
  std::function<void(const Agent&)> stopped;  // for its owner, or because it did not come up
  std::function<void(const std::string& agent)>
      taken;  // a job for its owner begins: one of the above, or nothing, ends it
  // The process of an agent that is wanted has ended, and no job is at work on it.
  std::function<void(const Agent&, std::string how)> ended;
};

class Provisioner {
 public:
  // Everything it does happens on `home`; blocking file work on `files`. The engine's on_exit is taken over.
  Provisioner(store::System, runtime::Engine&, Ports&, ProvisionerOptions, boost::asio::io_context& home,
              boost::asio::thread_pool& files);
  ~Provisioner();  // after stop(), or with `home` stopped

  boost::asio::io_context& home() const;
  // Where agents reach the box; before start().
  void set_addresses(std::string backend_url, std::string summarizer_url);
  // Before start().
  void set_overseer(LifecycleObserver);
  // Also run when an agent is deleted, before its record goes; may run again after a crash. Before start().
  void when_removed(std::function<web::Task<>(store::UserId, std::string agent)> cleanup);

  // Adopts the agents that run, starts those that should run and do not, starts again those that know the box by an
  // address it no longer has, ends those that run and should not, and takes up the jobs that were left. The same
  // happens by itself when the engine answers again after it did not.
  web::Task<> start();
  // Takes no further job, waits until those at work are done or put back. Agents go on running.
  web::Task<> stop();

  // Commits `edit` of the record and the job (its owner and moment are set here), replacing a job not yet done; what
  // that one was to have forgotten is still forgotten. not_found when there is no such agent (of this owner) or it is
  // being deleted. `edit` may run several times. The work begins at once.
  web::Task<web::Result<Agent>> ask(store::UserId, Job, std::function<void(Agent&)> edit);
  // For the observer: as ask(), then waits until it is done. Owners come first: conflict while another job of the agent
  // is there, or when it is not wanted any more. What fails is left to the observer. Called on `home`.
  web::Task<web::Result<void>> carry_out(store::UserId, std::string agent, Action, std::function<void(Agent&)> edit);
  // On its owner's behalf, for what the observer is going to do: commits `edit`. not_found; conflict while a job of the
  // agent is there. Called on `home`.
  web::Task<web::Result<Agent>> claim(store::UserId, std::string agent, std::function<void(Agent&)> edit);
  // A job of this agent has been committed by the caller. Callable from every thread.
  void notify(std::string agent);
  // Suspends until no job of this agent is left; the Error is the reason the last one failed.
  web::Task<web::Result<void>> finished(std::string agent);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace agents
