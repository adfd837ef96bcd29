#include "appliance/hosting/agents/provisioning/provisioner.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/redirect_error.hpp>
#include <deque>
#include <map>
#include <set>

#include "appliance/hosting/agents/owner_state.h"
#include "appliance/hosting/agents/provisioning/job.h"
#include "appliance/hosting/agents/provisioning/worker.h"
#include "web/log.h"
#include "web/run_on.h"

namespace agents {
namespace {

namespace asio = boost::asio;
using web::Error;
using web::Result;
using web::Task;
using Steady = std::chrono::steady_clock;

constexpr std::size_t no_limit = 10'000'000;

// Suspends a coroutine on `home` until finish() is called. Shared by both sides: if a request is cut off, its coroutine
// is destroyed before finish() is called.
struct Waiter {
  explicit Waiter(asio::io_context& home) : timer(home.get_executor(), Steady::time_point::max()) {}
  Task<> wait() {
    boost::system::error_code cancelled_when_finished;
    co_await timer.async_wait(asio::redirect_error(web::use_task, cancelled_when_finished));
  }
  void finish(std::optional<Error> why = {}) {
    is_finished = true;
    failure = std::move(why);
    timer.cancel();
  }
  web::Timer timer;
  bool is_finished = false;
  std::optional<Error> failure;
};

Error shutting_down() { return web::unavailable("The box is shutting down; the job resumes after the restart."); }

// Sets a flag for its own lifetime.
class ScopedFlag {
 public:
  explicit ScopedFlag(bool& flag) : flag_(flag) { flag_ = true; }
  ScopedFlag(const ScopedFlag&) = delete;
  ScopedFlag& operator=(const ScopedFlag&) = delete;
  ~ScopedFlag() { flag_ = false; }

 private:
  bool& flag_;
};

// An agent with a job, queued or in progress.
struct Work {
  bool has_newer_job = false;
  bool has_exited = false;  // its process exited during the job, not because of it
  std::optional<int> exit_code;
  std::optional<Error> failure;
  std::vector<std::shared_ptr<Waiter>> waiting;
};

}  // namespace

struct Provisioner::Impl : std::enable_shared_from_this<Impl> {
  Impl(store::System system_ref, runtime::Engine& engine_ref, Ports& ports, const agentbox::Events& events,
       ProvisionerOptions provisioner_options, asio::io_context& home_context, asio::thread_pool& files)
      : system(system_ref),
        engine(engine_ref),
        options(std::move(provisioner_options)),
        home(home_context),
        worker(system_ref, engine_ref, ports, events, options, files) {}

  // Constant once started; used by all threads.
  store::System system;
  runtime::Engine& engine;
  const ProvisionerOptions options;
  asio::io_context& home;
  // Used on `home` only.
  Worker worker;
  std::map<std::string, Work> work;
  std::deque<std::string> queue;
  std::size_t active_jobs = 0;       // jobs in progress
  std::size_t background_tasks = 0;  // process exits being handled, and recoveries
  bool is_stopping = false;
  bool is_reconciling = false, reconcile_again = false;
  bool is_engine_unavailable = false;  // at the last attempt
  bool is_retry_needed = false;        // it did not answer: reconcile once more
  bool is_retrying = false;
  web::Timer engine_pause{home.get_executor()};  // cancelled by shut_down()
  std::vector<std::shared_ptr<Waiter>> idle_waiters;
  LifecycleObserver observer;

  void enqueue(const std::string& agent) {
    auto [entry, is_new] = work.try_emplace(agent);
    entry->second.has_newer_job = !is_new;
    if (!is_new) return;
    queue.push_back(agent);
    start_queued();
  }

  void start_queued() {
    while (!is_stopping && active_jobs < options.parallel && !queue.empty()) {
      auto agent = std::move(queue.front());
      queue.pop_front();
      ++active_jobs;
      asio::co_spawn(home, work_on(agent), [self = shared_from_this(), agent](std::exception_ptr failure) {
        --self->active_jobs;
        self->conclude(agent, failure);
        self->start_queued();
        self->notify_if_idle();
      });
    }
  }

  // Until the agent has no job, or its job is left for later.
  Task<> work_on(std::string agent) {
    while (!is_stopping) {
      work[agent].has_newer_job = false;
      auto job = system.get(jobs, agent);
      if (!job) co_return;
      const bool for_owner = job->value.action != Action::kill && job->value.action != Action::revive;
      if (brings_up(job->value.action) && !options.start_agents) {
        work[agent].failure = web::unavailable("Agents are not started while PROVISIONING_ENABLED is false.");
        co_return;
      }
      if (for_owner) observer.job_begins(agent);
      std::function<bool()> interrupted = [this, agent] { return is_stopping || work[agent].has_newer_job; };
      auto failed = co_await worker.carry_out(*job, std::move(interrupted));
      if (failed || job->value.action == Action::kill) work[agent].has_exited = false;
      work[agent].failure = std::move(failed);
      if (for_owner && !is_stopping && !work[agent].has_newer_job) notify_observer(agent);
      if (auto& failure = work[agent].failure; failure && !is_stopping && !work[agent].has_newer_job)
        web::log::warning("agent_job_failed", {{"agent", agent}, {"reason", failure->message}});
      auto current = system.get(jobs, agent);
      const bool is_left = current && current->stored == job->stored && !is_stopping && !work[agent].has_newer_job;
      if (is_left && work[agent].failure && engine_did_not_answer(*work[agent].failure)) retry_later();
      if (is_left) co_return;
    }
    work[agent].failure = shutting_down();
  }

  void notify_observer(const std::string& id) {
    const auto row = system.find_unique(records, "agent", id);
    if (!row) return;
    if (row->value.desired == desired::running && row->value.status == Status::running) observer.started(row->value);
    if (row->value.desired == desired::stopped) observer.stopped(row->value);
  }

  void conclude(const std::string& agent, std::exception_ptr exception) {
    auto done = work.extract(agent);
    auto failure = std::move(done.mapped().failure);
    if (exception) try {
        std::rethrow_exception(exception);
      } catch (const std::exception& error) {
        web::log::error("agent_job_broken", {{"agent", agent}, {"error", std::string(error.what())}});
        failure = web::internal("The agent's state could not be written.", error.what());
      }
    for (auto& waiter : done.mapped().waiting) waiter->finish(failure);
    if (done.mapped().has_exited) process_ended(agent, done.mapped().exit_code);
  }

  void notify_if_idle() {
    if (active_jobs + background_tasks > 0) return;
    for (auto& waiter : std::exchange(idle_waiters, {})) waiter->finish();
  }

  Task<Result<void>> finished(std::string agent) {
    auto entry = work.find(agent);
    if (entry == work.end()) co_return Result<void>();
    const auto waiter = std::make_shared<Waiter>(home);
    entry->second.waiting.push_back(waiter);
    co_await waiter->wait();
    if (!waiter->is_finished) co_return shutting_down();
    if (waiter->failure) co_return *waiter->failure;
    co_return Result<void>();
  }

  Task<> shut_down() {
    is_stopping = true;
    engine_pause.cancel();
    for (auto& agent : std::exchange(queue, {})) {
      work[agent].failure = shutting_down();
      conclude(agent, {});
    }
    if (active_jobs + background_tasks == 0) co_return;
    const auto waiter = std::make_shared<Waiter>(home);
    idle_waiters.push_back(waiter);
    co_await waiter->wait();
  }

  // One reconciliation at a time; a call during one causes another after it.
  Task<> recover() {
    reconcile_again = true;
    if (is_reconciling) co_return;
    const ScopedFlag reconciling(is_reconciling);
    while (std::exchange(reconcile_again, false) && !is_stopping) co_await reconcile();
  }

  // An engine that was disconnected calls on_back; one that hung does not.
  void retry_later() {
    is_retry_needed = true;
    if (!std::exchange(is_retrying, true)) spawn_tracked(retry_reconciliation(), "agents_not_recovered");
  }

  Task<> retry_reconciliation() {
    const ScopedFlag asking(is_retrying);
    while (std::exchange(is_retry_needed, false) && !is_stopping) {
      engine_pause.expires_after(options.engine_pause);
      boost::system::error_code cancelled_by_stop;
      co_await engine_pause.async_wait(asio::redirect_error(web::use_task, cancelled_by_stop));
      if (!is_stopping) co_await recover();
    }
  }

  Task<> reconcile() {
    std::vector<Agent> wanted = system.find(records, "desired", std::string(desired::running), no_limit);
    std::vector<std::string> left;
    system.each<Job, std::string>(jobs, [&](const Job& job) {
      left.push_back(job.agent);
      return true;
    });
    std::set<std::string> ids(left.begin(), left.end());  // without duplicates: an adopted process has one watcher
    for (auto& agent : wanted) ids.insert(agent.id);
    std::vector<std::string> known(ids.begin(), ids.end());
    const auto adopted = co_await engine.adopt(std::move(known));
    if (!adopted) {
      if (!std::exchange(is_engine_unavailable, true))
        web::log::warning("agents_wait_for_their_engine", {{"reason", adopted.error().message}});
      for (auto& agent : wanted) co_await wait_for_engine(agent, adopted.error().message);
      retry_later();
      co_return;
    }
    is_engine_unavailable = false;
    for (auto& agent : left)
      if (!is_stopping && !work.contains(agent)) co_await resume_job(agent);
    for (auto& agent : wanted) {
      if (is_stopping) co_return;
      if (work.contains(agent.id)) continue;
      auto instance = co_await engine.inspect(agent.id);
      if (!instance) continue;  // unavailable again
      const bool runs = instance->state == runtime::State::running;
      if (runs && worker.reaches_the_box(*instance)) {
        co_await settle(agent);
        observer.adopted(agent);
        continue;
      }
      std::function<void(Agent&)> edit = [runs](Agent& now) {
        now.status = Status::provisioning;
        now.status_reason = runs ? "It is started again because the address of the box has changed."
                                 : "It is started again with the box.";
      };
      Job job{.agent = agent.id, .action = Action::start};
      auto submitted = co_await submit(agent.owner, std::move(job), std::move(edit));
      if (submitted) enqueue(agent.id);
    }
    for (auto& agent : *adopted)
      if (!is_stopping && !work.contains(agent)) co_await stop_if_unwanted(agent);
  }

  // Ends the wait of requests for this agent: it becomes `error`.
  Task<> wait_for_engine(const Agent& agent, const std::string& reason) {
    if (agent.status != Status::provisioning) co_return;
    std::function<void(Agent&)> edit = [&reason](Agent& now) {
      if (now.status != Status::provisioning) return;
      now.status = Status::error;
      now.status_reason = reason;
    };
    co_await system.modify(records, agent.owner, agent.id, std::move(edit));
  }

  // A process that could not be stopped in time; the record has its final state already.
  Task<> stop_if_unwanted(std::string agent) {
    const auto row = system.find_unique(records, "agent", agent);
    if (row && row->value.desired == desired::stopped && !system.get(jobs, agent)) {
      std::function<void(Agent&)> edit = [](Agent&) {};
      Job job{.agent = agent, .action = Action::kill};
      const auto submitted = co_await submit(row->value.owner, std::move(job), std::move(edit));
      if (submitted) enqueue(agent);
    } else if (!row) {
      web::log::warning("agent_of_nobody", {{"agent", agent}});
      auto ended = co_await engine.stop(agent, options.stop_grace);
      if (ended) ended = co_await engine.remove(agent);
      if (!ended) web::log::warning("agent_of_nobody_runs", {{"agent", agent}, {"reason", ended.error().message}});
    }
  }

  // For an agent that runs without a job, although its record says otherwise: the box crashed before it committed a
  // restart, or the engine was unavailable.
  Task<> settle(const Agent& agent) {
    if (agent.status == Status::running) co_return;
    std::function<void(Agent&)> edit = [](Agent& now) {
      now.status = Status::running;
      now.status_reason.clear();
    };
    co_await system.modify(records, agent.owner, agent.id, std::move(edit));
  }

  // For a job left over. A repair that the watchdog was in the middle of becomes a restart.
  Task<> resume_job(std::string agent) {
    const auto job = system.get(jobs, agent);
    const bool was_repair = job && (job->value.action == Action::kill || job->value.action == Action::revive);
    const auto row = was_repair ? system.find_unique(records, "agent", agent) : std::nullopt;
    if (row && row->value.desired == desired::running) {
      std::function<void(Agent&)> edit = [](Agent& now) { now.status = Status::provisioning; };
      Job restart{.agent = agent, .action = Action::restart};
      co_await submit(row->value.owner, std::move(restart), std::move(edit));
    } else if (job && brings_up(job->value.action)) {
      std::function<void(Agent&)> edit = [](Agent& now) {
        if (now.status == Status::error) now.status = Status::provisioning;
      };
      co_await system.modify(records, job->value.owner, agent, std::move(edit));
    }
    enqueue(agent);
  }

  void engine_is_back() {
    if (!is_stopping) spawn_tracked(recover(), "agents_not_recovered");
  }

  // stop() waits for the task.
  void spawn_tracked(Task<> task, std::string event) {
    ++background_tasks;
    asio::co_spawn(home, std::move(task), [self = shared_from_this(), event](std::exception_ptr failure) {
      --self->background_tasks;
      if (failure) try {
          std::rethrow_exception(failure);
        } catch (const std::exception& error) {
          web::log::error(event, {{"error", std::string(error.what())}});
        }
      self->notify_if_idle();
    });
  }

  // recover(); stop() waits for it.
  Task<> recover_tracked() {
    const auto self = shared_from_this();
    ++background_tasks;
    std::exception_ptr failure;
    try {
      co_await recover();
    } catch (...) {
      failure = std::current_exception();
    }
    --background_tasks;
    notify_if_idle();
    if (failure) std::rethrow_exception(failure);
  }

  Task<Result<Agent>> submit(store::UserId owner, Job job, std::function<void(Agent&)> edit) {
    job.owner = owner;
    for (;;) {
      auto row = system.get(records, owner, job.agent);
      if (!row || (row->value.desired == desired::removed && job.action != Action::remove)) co_return web::not_found();
      edit(row->value);
      row->value.updated_at = job.created_at = store::now();
      auto change = system.change();
      if (brings_up(job.action))
        if (const auto enabled = require_enabled_owner(system, owner, change); !enabled) co_return enabled.error();
      change.update(records, *row);
      put_job(system, job, change);
      auto outcome = co_await change.commit();
      if (outcome.ok()) co_return std::move(row->value);
    }
  }

  Task<Result<Agent>> claim(store::UserId owner, std::string agent, std::function<void(Agent&)> edit) {
    if (is_stopping) co_return shutting_down();
    for (;;) {
      auto row = system.get(records, owner, agent);
      if (!row || row->value.desired == desired::removed) co_return web::not_found();
      if (work.contains(agent) || system.get(jobs, agent))
        co_return web::conflict("Something is being done to this agent: wait until it is over.");
      edit(row->value);
      row->value.updated_at = store::now();
      auto change = system.change();
      change.update(records, *row);
      auto outcome = co_await change.commit();
      if (outcome.ok()) co_return std::move(row->value);
    }
  }

  // If the agent has a job in progress, the exit is handled after it.
  void process_ended(std::string agent, std::optional<int> exit_code) {
    if (is_stopping) return;
    if (auto entry = work.find(agent); entry != work.end()) {
      entry->second.has_exited = true;
      entry->second.exit_code = exit_code;
      return;
    }
    spawn_tracked(handle_exit(agent, exit_code), "agent_end_not_noted");
  }

  Task<> handle_exit(std::string id, std::optional<int> exit_code) {
    auto row = system.find_unique(records, "agent", id);
    if (!row || row->value.desired != desired::running) co_return;
    auto instance = co_await engine.inspect(id);
    if (instance && instance->state == runtime::State::running) co_return;
    if (work.contains(id)) co_return;  // a new job will find it exited
    auto how = describe_exit(exit_code, instance && instance->out_of_memory);
    web::log::warning("agent_ended", {{"agent", id}, {"how", how}});
    observer.exited(row->value, std::move(how));
  }

  Task<Result<void>> carry_out(store::UserId owner, std::string agent, Action action,
                               std::function<void(Agent&)> edit) {
    if (is_stopping) co_return shutting_down();
    for (;;) {
      auto row = system.get(records, owner, agent);
      const bool is_superseded = !row || row->value.desired != desired::running || system.get(jobs, agent);
      if (is_superseded) co_return web::conflict("The agent is not the watchdog's any more.");
      edit(row->value);
      row->value.updated_at = store::now();
      auto change = system.change();
      change.update(records, *row);
      const Job fresh{.agent = agent, .owner = owner, .action = action, .created_at = store::now()};
      change.insert(jobs, fresh);
      auto outcome = co_await change.commit();
      if (outcome.ok()) break;
    }
    enqueue(agent);
    co_return co_await finished(agent);
  }
};

Provisioner::Provisioner(store::System system, runtime::Engine& engine, Ports& ports, const agentbox::Events& events,
                         ProvisionerOptions options, asio::io_context& home, asio::thread_pool& files)
    : impl_(std::make_shared<Impl>(std::move(system), engine, ports, events, std::move(options), home, files)) {
  engine.on_exit = [weak = std::weak_ptr(impl_)](std::string agent, std::optional<int> exit_code) {
    if (auto impl = weak.lock())
      asio::dispatch(impl->home,
                     [impl, agent = std::move(agent), exit_code] { impl->process_ended(agent, exit_code); });
  };
  engine.on_back = [weak = std::weak_ptr(impl_)] {
    if (auto impl = weak.lock()) asio::dispatch(impl->home, [impl] { impl->engine_is_back(); });
  };
}

Provisioner::~Provisioner() {
  impl_->engine.on_exit = nullptr;
  impl_->engine.on_back = nullptr;
}

asio::io_context& Provisioner::home() const { return impl_->home; }

void Provisioner::set_observer(LifecycleObserver observer) { impl_->observer = std::move(observer); }

void Provisioner::set_addresses(std::string backend_url, std::string summarizer_url) {
  impl_->worker.backend_url = std::move(backend_url);
  impl_->worker.summarizer_url = std::move(summarizer_url);
}

Task<> Provisioner::start() { co_await web::run_on(impl_->home, impl_->recover_tracked()); }

Task<> Provisioner::stop() { co_await web::run_on(impl_->home, impl_->shut_down()); }

Task<Result<Agent>> Provisioner::submit(store::UserId owner, Job job, std::function<void(Agent&)> edit) {
  const auto agent = job.agent;
  auto submitted = co_await impl_->submit(owner, std::move(job), std::move(edit));
  if (submitted) notify(agent);
  co_return submitted;
}

Task<Result<Agent>> Provisioner::claim(store::UserId owner, std::string agent, std::function<void(Agent&)> edit) {
  return impl_->claim(owner, std::move(agent), std::move(edit));
}

Task<Result<void>> Provisioner::carry_out(store::UserId owner, std::string agent, Action action,
                                          std::function<void(Agent&)> edit) {
  return impl_->carry_out(owner, std::move(agent), action, std::move(edit));
}

void Provisioner::notify(std::string agent) {
  asio::dispatch(impl_->home, [impl = impl_, agent = std::move(agent)] { impl->enqueue(agent); });
}

Task<Result<void>> Provisioner::finished(std::string agent) {
  co_return co_await web::run_on(impl_->home, impl_->finished(std::move(agent)));
}

std::string Provisioner::probe_path(std::uint16_t port) const { return impl_->engine.gateway_traits(port).probe_path; }

}  // namespace agents
