// Carries out one job on one agent.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "appliance/hosting/agents/provisioning/ports.h"
#include "appliance/hosting/agents/provisioning/provisioner.h"
#include "appliance/hosting/agents/records.h"

namespace agents {

// What the agent's plan gives it.
runtime::ResourceLimits limits_of(const store::System&, const Agent&);

class Worker {
 public:
  Worker(store::System, runtime::Engine&, Ports&, const agentbox::Events&, const ProvisionerOptions&,
         boost::asio::thread_pool& files);

  std::string backend_url, summarizer_url;

  // False if the box had other addresses when the agent was started: it must be restarted to reach this one.
  bool reaches_the_box(const runtime::Instance&) const;

  // The agent's new status and the end of the job are one commit; nothing is written if a newer job has replaced it.
  // The Error is the reason of a failure, also kept in the record. `interrupted` is called between steps: once it
  // returns true the job is left to be resumed later, as it is when the engine does not answer.
  web::Task<std::optional<web::Error>> carry_out(store::Row<Job>, std::function<bool()> interrupted);

 private:
  using Interrupted = std::function<bool()>;

  // Stops the agent and removes its memory.
  web::Task<web::Result<void>> forget(std::string agent);
  web::Task<std::optional<web::Error>> bring_up(store::Row<Job>, Interrupted);
  web::Task<std::optional<web::Error>> stop(store::Row<Job>);
  web::Task<std::optional<web::Error>> remove(store::Row<Job>);
  web::Task<std::optional<web::Error>> kill(store::Row<Job>);
  web::Task<std::optional<web::Error>> update(store::Row<Job>, Interrupted);
  // Starts the image before the update again. `error` is the reason of the failed update.
  web::Task<std::optional<web::Error>> roll_back(store::Row<Job>, Agent, web::Error, Interrupted);

  // The job with the image for a rollback: `image`, or that of the record. Nothing if a newer job has replaced it.
  web::Task<std::optional<store::Row<Job>>> with_previous(store::Row<Job>, std::string image);
  // Starts the agent and waits until it is ready; stops it on failure, unless interrupted.
  web::Task<web::Result<void>> bring_up(Agent, bool is_restart, Interrupted);
  web::Task<web::Result<void>> ensure_running(Agent, bool is_restart);
  web::Task<web::Result<void>> wait_until_ready(Agent, Interrupted);
  // The agent, with a port that can be bound.
  web::Task<web::Result<Agent>> with_free_port(Agent);
  web::Task<web::Error> early_end(std::string agent, const runtime::Instance&);
  web::Task<> settle(store::Row<Job>, std::function<void(Agent&)> edit);
  // The engine does not answer: the record gets the reason, and the job stays.
  web::Task<std::optional<web::Error>> leave_for_later(store::Row<Job>, web::Error);
  web::Task<std::optional<web::Error>> fail(store::Row<Job>, web::Error);

  store::System system_;
  runtime::Engine& engine_;
  Ports& ports_;
  const agentbox::Events& events_;
  const ProvisionerOptions& options_;
  boost::asio::thread_pool& files_;
};

// Whether the engine did not answer, so that the state of the agent is unknown.
bool engine_did_not_answer(const web::Error&);

// "The agent ended with exit code 3"; without a full stop.
std::string describe_exit(std::optional<int> exit_code, bool out_of_memory);

}  // namespace agents
