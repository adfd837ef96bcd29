#include "appliance/hosting/agents/provisioning/worker.h"

#include <algorithm>

#include "appliance/access/events.h"
#include "appliance/access/records.h"
#include "appliance/agent/forget.h"
#include "appliance/billing/subscriptions/plans.h"
#include "appliance/billing/subscriptions/storage_upgrades.h"
#include "appliance/hosting/agents/config_check.h"
#include "appliance/hosting/agents/proxy_credentials.h"
#include "appliance/hosting/channels/image_secrets.h"
#include "store/transact.h"
#include "web/client/fetch.h"

namespace agents {
namespace {

using web::Error;
using web::Result;
using web::Task;
using Steady = std::chrono::steady_clock;
using Failure = std::optional<Error>;

constexpr std::chrono::milliseconds first_pause{5}, longest_pause{100}, readiness_probe_timeout{1000};

runtime::AgentSpec spec_of(const store::System& system, const Agent& agent, const ProvisionerOptions& options) {
  runtime::AgentSpec spec;
  spec.id = agent.id;
  spec.name = agent.name;
  spec.model = agent.model == default_model ? std::string() : agent.model;
  spec.image = agent.image;
  spec.workspace = options.folder / agent.id / "workspace";
  spec.port = std::uint16_t(*agent.port);
  spec.gateway_token = agent.gateway_token.clear;
  spec.box_token = agent.box_token.clear;
  spec.image_secrets = channels::image_secrets_of(system, agent.owner, agent.id);
  spec.proxy = proxy_access_of(agent);
  spec.conduct = profile_of(agent.config);
  if (agent.descent && agent.descent->specialization != unspecialized)
    spec.conduct.specialization = agent.descent->specialization;
  if (const auto owner = system.get(accounts::users, agent.owner)) spec.conduct.owner_name = owner->value.name;
  spec.limits = limits_of(system, agent);
  spec.disk_reserve = options.disk_reserve;
  return spec;
}

void mark_running(Agent& agent) {
  agent.status = Status::running;
  agent.status_reason.clear();
  agent.started_at = store::now();
  agent.runtime_version = runtime_version;
}

bool is_running(const Result<runtime::Instance>& instance) {
  return instance && instance->state == runtime::State::running;
}

}  // namespace

runtime::ResourceLimits limits_of(const store::System& system, const Agent& agent) {
  const auto& plan = billing::agent_resources(billing::plan_named(agent.plan).value_or(billing::Plan::label));
  runtime::ResourceLimits limits;
  limits.memory_bytes = plan.memory_bytes;
  limits.file_bytes = billing::storage_limit(system, agent.owner, agent.plan);
  limits.processes = plan.processes;
  limits.cpus = plan.cores;
  return limits;
}

// no_free_port() has a code.
bool engine_did_not_answer(const Error& error) { return error.kind == web::Kind::unavailable && error.code.empty(); }

std::string describe_exit(std::optional<int> exit_code, bool out_of_memory) {
  if (out_of_memory) return "The agent was ended because it needed more memory than its plan has";
  if (!exit_code) return "The agent ended";
  if (*exit_code > 128) return "The agent was ended by signal " + std::to_string(*exit_code - 128);
  return "The agent ended with exit code " + std::to_string(*exit_code);
}

Worker::Worker(store::System system, runtime::Engine& engine, Ports& ports, const agentbox::Events& events,
               const ProvisionerOptions& options, boost::asio::thread_pool& files)
    : system_(std::move(system)), engine_(engine), ports_(ports), events_(events), options_(options), files_(files) {}

bool Worker::reaches_the_box(const runtime::Instance& instance) const {
  return instance.backend_url == backend_url && instance.summarizer_url == summarizer_url;
}

Task<Failure> Worker::carry_out(store::Row<Job> job, Interrupted interrupted) {
  if (job->forgets && job->action != Action::remove) {
    const auto forgotten = co_await forget(job->agent);
    if (!forgotten) co_return co_await fail(std::move(job), forgotten.error());
  }
  switch (job->action) {
    case Action::start:
    case Action::restart:
    case Action::revive:
      co_return co_await bring_up(std::move(job), std::move(interrupted));
    case Action::stop:
      co_return co_await stop(std::move(job));
    case Action::remove:
      co_return co_await remove(std::move(job));
    case Action::kill:
      co_return co_await kill(std::move(job));
    case Action::update:
      co_return co_await update(std::move(job), std::move(interrupted));
  }
  throw std::logic_error("unknown action of a job");
}

// After a crash the job runs again.
Task<Result<void>> Worker::forget(std::string agent) {
  auto stopped = co_await engine_.stop(agent, options_.stop_grace);
  if (!stopped) co_return stopped;
  const auto workspace = options_.folder / agent / "workspace";
  auto remove_memory = [workspace] { return agent_process::forget_everything(workspace); };
  const auto forgotten = co_await web::offload(files_, std::move(remove_memory));
  if (!forgotten) co_return web::internal("The agent's memory cannot be removed: " + forgotten.error().message);
  co_return Result<void>();
}

Task<Failure> Worker::bring_up(store::Row<Job> job, Interrupted interrupted) {
  auto row = system_.get(records, job->owner, job->agent);
  if (!row) {
    co_await settle(std::move(job), {});
    co_return Failure();
  }
  auto agent = co_await with_free_port(row->value);
  if (!agent) co_return co_await fail(std::move(job), agent.error());
  auto up = co_await bring_up(*agent, job->action != Action::start, interrupted);
  if (!up && interrupted()) co_return up.error();
  if (!up) co_return co_await fail(std::move(job), up.error());
  std::function<void(Agent&)> running_now = mark_running;
  co_await settle(std::move(job), std::move(running_now));
  co_return Failure();
}

Task<Result<void>> Worker::bring_up(Agent agent, bool is_restart, Interrupted interrupted) {
  auto running = co_await ensure_running(agent, is_restart);
  if (!running) co_return running.error();
  auto ready = co_await wait_until_ready(agent, interrupted);
  if (ready || interrupted()) co_return ready;
  auto error = ready.error();
  auto stopped = co_await engine_.stop(agent.id, std::chrono::seconds(2));
  if (!stopped && engine_did_not_answer(stopped.error())) co_return stopped.error();
  if (!stopped) error.message += " It could not be stopped either: " + stopped.error().message;
  co_return error;
}

// If the new image does not get ready the one before is started again. The reason of the failure stays in the record.
Task<Failure> Worker::update(store::Row<Job> given, Interrupted interrupted) {
  const auto instance = co_await engine_.inspect(given->agent);
  if (!instance && engine_did_not_answer(instance.error())) co_return co_await fail(std::move(given), instance.error());
  const auto image = instance ? instance->image : std::string();
  auto job = co_await with_previous(std::move(given), image);
  if (!job) co_return Failure();
  auto row = system_.get(records, (*job)->owner, (*job)->agent);
  if (!row) {
    co_await settle(std::move(*job), {});
    co_return Failure();
  }
  auto agent = co_await with_free_port(row->value);
  if (!agent) co_return co_await fail(std::move(*job), agent.error());
  agent->image = (*job)->image;
  const auto renewed = co_await bring_up(*agent, true, interrupted);
  if (!renewed && interrupted()) co_return renewed.error();
  if (renewed) {
    std::function<void(Agent&)> renewed_now = [image = agent->image](Agent& now) {
      mark_running(now);
      now.image = image;
    };
    co_await settle(std::move(*job), std::move(renewed_now));
    co_return Failure();
  }
  co_return co_await roll_back(std::move(*job), std::move(*agent), renewed.error(), std::move(interrupted));
}

Task<Failure> Worker::roll_back(store::Row<Job> job, Agent agent, Error error, Interrupted interrupted) {
  agent.image = *job->previous;
  const auto back = co_await bring_up(agent, true, interrupted);
  if (!back && interrupted()) co_return back.error();
  if (!back) {
    error.message = "The update failed: " + error.message +
                    " The previous version could not be restarted either: " + back.error().message;
    co_return co_await fail(std::move(job), std::move(error));
  }
  error.message = "The update failed, and what ran before runs again: " + error.message;
  // Agent::image stays as the owner set it: an image known only by its id may disappear.
  std::function<void(Agent&)> back_now = [reason = error.message](Agent& now) {
    mark_running(now);
    now.status_reason = reason;
  };
  co_await settle(std::move(job), std::move(back_now));
  co_return error;
}

// Committed before anything is stopped: a resumed job would find the new image running.
Task<std::optional<store::Row<Job>>> Worker::with_previous(store::Row<Job> job, std::string image) {
  if (job->previous) co_return job;
  const auto row = system_.get(records, job->owner, job->agent);
  if (image.empty() && row) image = row->value.image;
  job->previous = std::move(image);
  auto change = system_.change();
  change.update(jobs, job);
  const auto outcome = co_await change.commit();
  if (!outcome.ok()) co_return std::nullopt;
  co_return system_.get(jobs, job->agent);
}

Task<Failure> Worker::stop(store::Row<Job> job) {
  auto stopped = co_await engine_.stop(job->agent, options_.stop_grace);
  if (!stopped) co_return co_await fail(std::move(job), stopped.error());
  std::function<void(Agent&)> stopped_now = [reason = job->reason](Agent& now) {
    now.status = Status::stopped;
    now.status_reason = reason;
  };
  co_await settle(std::move(job), std::move(stopped_now));
  co_return Failure();
}

// The record already has the resulting state.
Task<Failure> Worker::kill(store::Row<Job> job) {
  auto killed = co_await engine_.stop(job->agent, std::chrono::seconds(0));
  const auto row = system_.get(records, job->owner, job->agent);
  const bool is_wanted = row && row->value.desired == desired::running;
  // The watchdog retries for an agent that should run; for another the job must stay.
  if (!killed && engine_did_not_answer(killed.error()) && !is_wanted) co_return killed.error();
  co_await settle(std::move(job), {});
  if (!killed) co_return killed.error();
  co_return Failure();
}

// The record is deleted last; until then the job can be resumed.
Task<Failure> Worker::remove(store::Row<Job> job) {
  const auto id = job->agent;
  auto stopped = co_await engine_.stop(id, options_.stop_grace);
  if (!stopped) co_return stopped.error();
  auto removed = co_await engine_.remove(id);
  if (!removed) co_return removed.error();
  co_await events_.agent_removed.publish(job->owner, id);
  const auto folder = options_.folder / id;
  auto remove_folder = [folder] {
    std::error_code error;
    std::filesystem::remove_all(folder, error);
    return error ? error.message() : std::string();
  };
  auto failure = co_await web::offload(files_, std::move(remove_folder));
  if (!failure.empty()) co_return web::internal("The agent's folder cannot be removed: " + failure);
  for (;;) {
    auto row = system_.get(records, job->owner, id);
    auto change = system_.change();
    change.erase(jobs, job);
    if (row) {
      change.erase(records, *row);
      change.add(job->owner, count, -1);
    }
    auto outcome = co_await change.commit();
    if (outcome.ok()) co_return Failure();
    auto current = system_.get(jobs, id);
    if (!current) co_return Failure();
    job = std::move(*current);  // another request replaced it; a deletion is final
  }
}

Task<Result<Agent>> Worker::with_free_port(Agent agent) {
  auto instance = co_await engine_.inspect(agent.id);
  if (!instance) co_return instance.error();
  if (is_running(instance) || (agent.port && Ports::bindable(std::uint16_t(*agent.port)))) co_return agent;
  const auto step = [&](store::Change& change) -> Result<Agent> {
    auto row = system_.get(records, agent.owner, agent.id);
    if (!row) return web::not_found("The agent has been deleted.");
    auto port = ports_.find();
    if (!port) return no_free_port();
    row->value.port = *port;
    change.update(records, *row);
    return std::move(row->value);
  };
  co_return co_await store::transact(system_, step);
}

Task<Result<void>> Worker::ensure_running(Agent agent, bool is_restart) {
  auto instance = co_await engine_.inspect(agent.id);
  if (!instance) co_return instance.error();
  // Adopted, or started by an interrupted job.
  if (!is_restart && is_running(instance) && reaches_the_box(*instance)) co_return Result<void>();
  auto stopped = co_await engine_.stop(agent.id, options_.stop_grace);
  if (!stopped) co_return stopped.error();
  auto spec = spec_of(system_, agent, options_);
  spec.backend_url = backend_url;
  spec.summarizer_url = summarizer_url;
  auto started = co_await engine_.start(spec);
  if (!started) co_return started.error();
  co_return Result<void>();
}

Task<Result<void>> Worker::wait_until_ready(Agent agent, Interrupted interrupted) {
  const auto deadline = Steady::now() + options_.ready_deadline;
  auto pause = first_pause;
  const auto port = std::uint16_t(*agent.port);
  auto path = engine_.gateway_traits(port).probe_path;
  if (path.empty()) path = "/readyz";
  web::FetchRequest probe;
  probe.url = "http://127.0.0.1:" + std::to_string(port) + path;
  probe.timeout = readiness_probe_timeout;
  probe.max_bytes = 64 * 1024;
  for (;;) {
    auto answer = co_await web::fetch(probe);
    auto instance = co_await engine_.inspect(agent.id);
    if (!instance) co_return instance.error();
    // After the probe: if the agent has exited, another process may have answered on its port.
    if (!is_running(instance)) co_return co_await early_end(agent.id, *instance);
    if (answer && answer->status == 200) co_return Result<void>();
    if (interrupted()) co_return web::unavailable("The box is shutting down; the job resumes after the restart.");
    if (Steady::now() >= deadline) {
      auto last =
          answer ? "its gateway answers " + path + " with " + std::to_string(answer->status) : answer.error().message;
      co_return web::Error{.kind = web::Kind::timeout,
                           .message = "The agent was not ready within " +
                                      std::to_string(options_.ready_deadline.count()) + " ms: " + last};
    }
    co_await web::sleep_for(pause);
    pause = std::min(2 * pause, longest_pause);
  }
}

Task<Error> Worker::early_end(std::string agent, const runtime::Instance& instance) {
  auto message = describe_exit(instance.exit_code, instance.out_of_memory) + " before it was ready";
  auto tail = co_await engine_.logs(agent, 1);
  if (tail && !tail->empty() && !tail->back().empty()) message += ": " + tail->back().substr(0, 500);
  co_return web::internal(std::move(message));
}

Task<> Worker::settle(store::Row<Job> job, std::function<void(Agent&)> edit) {
  for (;;) {
    auto row = system_.get(records, job->owner, job->agent);
    auto change = system_.change();
    change.erase(jobs, job);
    if (row && edit) {
      edit(row->value);
      row->value.updated_at = store::now();
      change.update(records, *row);
    }
    auto outcome = co_await change.commit();
    if (outcome.ok()) co_return;
    auto current = system_.get(jobs, job->agent);
    if (!current || current->stored != job.stored) co_return;
  }
}

Task<Failure> Worker::leave_for_later(store::Row<Job> job, Error error) {
  for (;;) {
    auto row = system_.get(records, job->owner, job->agent);
    if (!row) co_return error;
    if (brings_up(job->action)) row->value.status = Status::error;
    row->value.status_reason = error.message;
    row->value.updated_at = store::now();
    auto change = system_.change();
    change.require(jobs, job);
    change.update(records, *row);
    auto outcome = co_await change.commit();
    if (outcome.ok()) co_return error;
    auto current = system_.get(jobs, job->agent);
    if (!current || current->stored != job.stored) co_return error;
  }
}

// Failed jobs are not retried, not even at the next start of the box. Those of the watchdog are left to its decision.
Task<Failure> Worker::fail(store::Row<Job> job, Error error) {
  if (engine_did_not_answer(error) && job->action != Action::revive)
    co_return co_await leave_for_later(std::move(job), std::move(error));
  const bool is_over = job->action != Action::revive;
  std::function<void(Agent&)> failed_now = [reason = error.message, is_over](Agent& now) {
    now.status_reason = reason;
    if (!is_over) return;
    now.status = Status::error;
    now.desired = desired::stopped;
  };
  co_await settle(std::move(job), std::move(failed_now));
  co_return error;
}

}  // namespace agents
