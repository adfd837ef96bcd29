// The durable queue of jobs on agents. A job is committed together with the change of the record and erased together
// with its result; jobs found at start-up go on, so that kill -9 loses nothing.
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
#include "appliance/runtime/engine.h"
#include "web/result.h"
#include "web/task.h"

namespace agentbox {
struct Events;
}

namespace agents {

struct ProvisionerOptions {
  std::filesystem::path folder;  // data/agents: workspaces are folder/<id>/workspace
  bool start_agents = true;      // the kill switch; if false, start jobs stay in the queue
  std::size_t parallel = 8;      // concurrent jobs
  std::chrono::milliseconds ready_deadline{healthy_within};
  std::chrono::seconds stop_grace{11};            // agents take up to 10 s to finish running turns
  std::uint64_t disk_reserve = 0;                 // of the box; see AgentSpec
  std::chrono::milliseconds engine_pause{2'000};  // before an engine that did not answer is retried
};

// Receives the events of running agents. Called on `home`.
struct LifecycleObserver {
  std::function<void(const Agent&)> started;  // by a job of its owner
  std::function<void(const Agent&)> adopted;  // found running
  std::function<void(const Agent&)> stopped;  // by a job of its owner, or because it failed to start
  // A job of its owner begins. One of the above follows, unless the job fails.
  std::function<void(const std::string& agent)> job_begins;
  // The process of an agent that should run has exited, and the agent has no job.
  std::function<void(const Agent&, std::string how)> exited;
};

class Provisioner {
 public:
  // Works on `home`, with blocking file work on `files`. Replaces the engine's on_exit and on_back. Publishes
  // Events::agent_removed.
  Provisioner(store::System, runtime::Engine&, Ports&, const agentbox::Events&, ProvisionerOptions,
              boost::asio::io_context& home, boost::asio::thread_pool& files);
  ~Provisioner();  // after stop(), or with `home` stopped

  boost::asio::io_context& home() const;
  // Where agents reach the box; before start().
  void set_addresses(std::string backend_url, std::string summarizer_url);
  // Before start().
  void set_observer(LifecycleObserver);

  // Reconciles: adopts agents that run, starts those that should, restarts those that have an outdated address of the
  // box, stops those that should not run, and resumes jobs left over. Repeated whenever the engine becomes available
  // again.
  web::Task<> start();
  // Accepts no more jobs and waits until those in progress are done or requeued. Agents go on running.
  web::Task<> stop();

  // Commits `edit` of the record and the job, whose owner and time are set here; see put_job for an unfinished one. The
  // job begins at once. `edit` may run several times. not_found: the owner has no such agent, or it is being deleted.
  // forbidden: it would bring up an agent whose owner is disabled.
  web::Task<web::Result<Agent>> submit(store::UserId, Job, std::function<void(Agent&)> edit);
  // For the observer: like submit(), then waits until the job is done. Owners' jobs have priority: conflict while the
  // agent has another job or should not run any more. The observer handles failures. Called on `home`.
  web::Task<web::Result<void>> carry_out(store::UserId, std::string agent, Action, std::function<void(Agent&)> edit);
  // Commits `edit` on the owner's behalf before the observer works on the agent. not_found; conflict while the agent
  // has a job. Called on `home`.
  web::Task<web::Result<Agent>> claim(store::UserId, std::string agent, std::function<void(Agent&)> edit);
  // Starts a job that the caller has committed. Callable from every thread.
  void notify(std::string agent);
  // See runtime::GatewayTraits. Callable from every thread.
  std::string probe_path(std::uint16_t port) const;
  // Suspends until the agent has no job; the Error is the reason why the last one failed.
  web::Task<web::Result<void>> finished(std::string agent);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace agents
