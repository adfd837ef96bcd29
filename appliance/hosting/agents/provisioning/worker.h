// Carries out one job on one agent: bring it up, take it down, clear it away, end what hangs, renew what it runs.
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

class Worker {
 public:
  Worker(store::System, runtime::Engine&, Ports&, const ProvisionerOptions&, boost::asio::thread_pool& files);

  std::string backend_url, summarizer_url;
  std::vector<std::function<web::Task<>(store::UserId, std::string agent)>> cleanups;

  // False for an agent that a box at other addresses started: it cannot reach this one until it is started anew.
  bool reaches_the_box(const runtime::Instance&) const;

  // The job's result (the agent's new status) and its end are one commit, unless a newer job has taken its place: then
  // nothing is written. The Error is the reason of a failure, also kept in the record. `interrupted` is asked between
  // steps: once it is true the job is left as it is, to be taken up again. So it is when the engine does not answer.
  web::Task<std::optional<web::Error>> carry_out(store::Row<Job>, std::function<bool()> interrupted);

 private:
  using Interrupted = std::function<bool()>;

  // What it remembers is gone when this succeeds, and it does not run.
  web::Task<web::Result<void>> forget(std::string agent);
  web::Task<std::optional<web::Error>> bring_up(store::Row<Job>, Interrupted);
  web::Task<std::optional<web::Error>> take_down(store::Row<Job>);
  web::Task<std::optional<web::Error>> clear_away(store::Row<Job>);
  web::Task<std::optional<web::Error>> kill(store::Row<Job>);
  web::Task<std::optional<web::Error>> update(store::Row<Job>, Interrupted);

  // The job once it says what to go back to: `image`, or what the record names. Nothing when a newer one has taken its
  // place.
  web::Task<std::optional<store::Row<Job>>> with_previous(store::Row<Job>, std::string image);
  // Runs and is ready; stopped again when it does not get there, unless it was interrupted.
  web::Task<web::Result<void>> bring_up(Agent, bool anew, Interrupted);
  web::Task<web::Result<void>> make_it_run(Agent, bool anew);
  web::Task<web::Result<void>> make_it_ready(Agent, Interrupted);
  // The agent, on a port that can be bound now.
  web::Task<web::Result<Agent>> with_free_port(Agent);
  web::Task<web::Error> early_end(std::string agent, std::optional<int> exit_code);
  web::Task<> settle(store::Row<Job>, std::function<void(Agent&)> edit);
  // The engine does not answer: the record tells, and the job stays.
  web::Task<std::optional<web::Error>> leave(store::Row<Job>, web::Error);
  web::Task<std::optional<web::Error>> fail(store::Row<Job>, web::Error);

  store::System system_;
  runtime::Engine& engine_;
  Ports& ports_;
  const ProvisionerOptions& options_;
  boost::asio::thread_pool& files_;
};

// Nobody can tell how an agent is now, because what runs it does not answer.
bool engine_is_away(const web::Error&);

// "The agent ended with exit code 3"; without a full stop.
std::string how_it_ended(std::optional<int> exit_code);

}  // namespace agents
