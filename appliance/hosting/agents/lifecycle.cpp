#include "appliance/hosting/agents/lifecycle.h"

#include <algorithm>

#include "appliance/hosting/agents/new_agent.h"
#include "appliance/hosting/agents/owner_state.h"
#include "web/ascii.h"

namespace agents {
namespace {

using web::Error;
using web::Result;
using web::Task;

Error lifecycle_switched_off() {
  return web::internal("Agents cannot be started or stopped while provisioning is switched off on this box.");
}

// Another request's job replaced this one.
Error superseded(const Agent& agent) {
  return web::conflict("Another request asked for the opposite meanwhile: the agent is " +
                       std::string(boost::describe::enum_to_string(agent.status, "")) + ".");
}

}  // namespace

AgentLifecycle::AgentLifecycle(store::System system, const AgentDirectory& directory, runtime::Engine& engine,
                               Provisioner& provisioner, Supervision& supervision, bool is_enabled, HasRoom has_room)
    : system_(std::move(system)),
      directory_(directory),
      engine_(engine),
      provisioner_(provisioner),
      supervision_(supervision),
      is_enabled_(is_enabled),
      has_room_(std::move(has_room)) {}

Task<Result<Agent>> AgentLifecycle::start(store::UserId owner, std::string id) {
  return carry_out(owner, {.agent = std::move(id), .action = Action::start});
}
Task<Result<Agent>> AgentLifecycle::begin_start(store::UserId owner, std::string id) {
  return begin(owner, {.agent = std::move(id), .action = Action::start});
}
Task<Result<Agent>> AgentLifecycle::stop(store::UserId owner, std::string id) {
  return carry_out(owner, {.agent = std::move(id), .action = Action::stop});
}
Task<Result<Agent>> AgentLifecycle::restart(store::UserId owner, std::string id) {
  return carry_out(owner, {.agent = std::move(id), .action = Action::restart});
}

Task<Result<Agent>> AgentLifecycle::update(const web::Caller& caller, store::UserId owner, std::string id,
                                           std::optional<std::string> image) {
  // The box's operator is responsible for the programs that run on it.
  const bool is_operator = caller.user_id == 0 || caller.admin;
  if (image && !is_operator) co_return web::forbidden("Only an administrator may choose another image.");
  Job job{.agent = std::move(id), .action = Action::update, .image = std::move(image).value_or("")};
  if (!is_image_name(job.image))
    co_return web::invalid("image must be the name of a container image, such as registry.example/agent:1.2");
  if (!job.image.empty() && !engine_.has_images())
    co_return web::invalid("image: agents of this box are processes of its own binary and have no image");
  co_return co_await carry_out(owner, std::move(job));
}

Task<Result<Agent>> AgentLifecycle::repair(store::UserId owner, std::string id) {
  if (!directory_.find(owner, id)) co_return web::not_found();
  if (!is_enabled_) co_return lifecycle_switched_off();
  if (const auto enabled = check_enabled_owner(owner); !enabled) co_return enabled.error();
  // Asked first: a job left by an engine that does not respond would hide the reason behind a conflict.
  if (const auto found = co_await engine_.inspect(id); !found)
    co_return web::internal(found.error().message, found.error().detail);
  co_return co_await supervision_.repair(owner, std::move(id));
}

Task<Result<Agent>> AgentLifecycle::reset_memory(store::UserId owner, std::string id) {
  const auto agent = directory_.find(owner, id);
  if (!agent) co_return web::not_found();
  const auto action = agent->desired == desired::running ? Action::restart : Action::stop;
  Job job{.agent = std::move(id), .action = action, .forgets = true};
  co_return co_await carry_out(owner, std::move(job));
}

Task<Result<void>> AgentLifecycle::remove(store::UserId owner, std::string id) {
  std::function<void(Agent&)> edit = [](Agent& agent) {
    agent.desired = desired::removed;
    agent.status = Status::deleting;
    agent.deployment.reset();
  };
  Job job{.agent = id, .action = Action::remove};
  auto asked = co_await provisioner_.submit(owner, std::move(job), std::move(edit));
  if (!asked) co_return asked.error();
  // A failure is in the log, and the job stays to be retried.
  [[maybe_unused]] const auto done = co_await provisioner_.finished(id);
  co_return Result<void>();
}

void AgentLifecycle::run_committed_jobs(store::UserId owner) {
  for (const AgentSummary& summary : directory_.list(owner))
    if (system_.get(jobs, summary.id)) provisioner_.notify(summary.id);
}

Result<void> AgentLifecycle::check_enabled_owner(store::UserId owner) const {
  auto unused = system_.change();
  return require_enabled_owner(system_, owner, unused);
}

Task<Result<Agent>> AgentLifecycle::begin(store::UserId owner, Job job) {
  const auto id = job.agent;
  if (!directory_.find(owner, id)) co_return web::not_found();
  if (!is_enabled_) co_return lifecycle_switched_off();
  if (brings_up(job.action) && has_room_)
    if (const auto room = has_room_(owner, id); !room) co_return room.error();
  std::function<void(Agent&)> edit = [action = job.action](Agent& agent) {
    agent.status_reason.clear();
    if (action == Action::stop) {
      agent.desired = desired::stopped;
      if (agent.status != Status::stopped) agent.status = Status::stopping;
    } else {
      agent.desired = desired::running;
      if (action != Action::start || agent.status != Status::running) agent.status = Status::provisioning;
    }
  };
  co_return co_await provisioner_.submit(owner, std::move(job), std::move(edit));
}

Task<Result<Agent>> AgentLifecycle::carry_out(store::UserId owner, Job job) {
  const auto id = job.agent;
  const std::string wanted = job.action == Action::stop ? desired::stopped : desired::running;
  const auto begun = co_await begin(owner, std::move(job));
  if (!begun) co_return begun.error();
  auto done = co_await provisioner_.finished(id);
  if (!done && !done.error().code.empty()) co_return done.error();
  if (!done) co_return web::internal(done.error().message, done.error().detail);
  auto agent = directory_.find(owner, id);
  if (!agent) co_return web::not_found();
  if (agent->desired != wanted) co_return superseded(*agent);
  co_return std::move(*agent);
}

}  // namespace agents
