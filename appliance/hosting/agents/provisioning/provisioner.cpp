#include "appliance/hosting/agents/provisioning/provisioner.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/redirect_error.hpp>
#include <deque>
#include <map>
#include <set>

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

// Somebody who waits, on `home`, for something there to be over. Shared with what they wait for: a request that is cut
// off stops waiting, and its coroutine is gone.
struct Waiter {
  explicit Waiter(asio::io_context& home) : timer(home.get_executor(), Steady::time_point::max()) {}
  Task<> wait() {
    boost::system::error_code cancelled_when_over;
    co_await timer.async_wait(asio::redirect_error(web::use_task, cancelled_when_over));
  }
  void over(std::optional<Error> why = {}) {
    is_over = true;
    failure = std::move(why);
    timer.cancel();
  }
  web::Timer timer;
  bool is_over = false;
  std::optional<Error> failure;
};

Error shutting_down() { return web::unavailable("The box is shutting down; this goes on when it is back."); }

// True for as long as it lives.
class Raised {
 public:
  explicit Raised(bool& flag) : flag_(flag) { flag_ = true; }
  Raised(const Raised&) = delete;
  Raised& operator=(const Raised&) = delete;
  ~Raised() { flag_ = false; }

 private:
  bool& flag_;
};

// An agent that has a job: waiting for its turn, or being worked on.
struct Work {
  bool again = false;  // another job was committed meanwhile
  bool ended = false;  // its process ended meanwhile, and no job's result tells of that
  std::optional<int> exit_code;
  std::optional<Error> failure;
  std::vector<std::shared_ptr<Waiter>> waiting;
};

}  // namespace

struct Provisioner::Impl : std::enable_shared_from_this<Impl> {
  Impl(store::System system_view, runtime::Engine& chosen_engine, Ports& ports, ProvisionerOptions chosen,
       asio::io_context& home_context, asio::thread_pool& files)
      : system(system_view),
        engine(chosen_engine),
        options(std::move(chosen)),
        home(home_context),
        worker(system_view, chosen_engine, ports, options, files) {}

  // Constant once started; used from every thread.
  store::System system;
  runtime::Engine& engine;
  const ProvisionerOptions options;
  asio::io_context& home;
  // Used on `home` only.
  Worker worker;
  std::map<std::string, Work> work;
  std::deque<std::string> queue;
  std::size_t at_work = 0;   // agents being worked on
  std::size_t watching = 0;  // ends of processes being dealt with, and recoveries
  bool is_stopping = false;
  bool is_reconciling = false, reconcile_again = false;
  bool is_engine_away = false;  // as far as is known
  bool engine_owes = false;     // it did not answer: what is left is looked at again
  bool is_asking_again = false;
  web::Timer engine_pause{home.get_executor()};  // cancelled by a stop
  std::vector<std::shared_ptr<Waiter>> waiting_for_quiet;
  LifecycleObserver observer;

  void enqueue(const std::string& agent) {
    auto [entry, is_new] = work.try_emplace(agent);
    entry->second.again = !is_new;
    if (!is_new) return;
    queue.push_back(agent);
    pump();
  }

  void pump() {
    while (!is_stopping && at_work < options.parallel && !queue.empty()) {
      auto agent = std::move(queue.front());
      queue.pop_front();
      ++at_work;
      asio::co_spawn(home, work_on(agent), [self = shared_from_this(), agent](std::exception_ptr failure) {
        --self->at_work;
        self->conclude(agent, failure);
        self->pump();
        self->tell_if_quiet();
      });
    }
  }

  // Until the agent has no job, or has one that is left for later.
  Task<> work_on(std::string agent) {
    while (!is_stopping) {
      work[agent].again = false;
      auto job = system.get(jobs, agent);
      if (!job) co_return;
      const bool for_owner = job->value.action != Action::kill && job->value.action != Action::revive;
      if (brings_up(job->value.action) && !options.start_agents) {
        work[agent].failure = web::unavailable("Agents are not started while PROVISIONING_ENABLED is false.");
        co_return;
      }
      if (for_owner) observer.taken(agent);
      std::function<bool()> interrupted = [this, agent] { return is_stopping || work[agent].again; };
      auto failed = co_await worker.carry_out(*job, std::move(interrupted));
      if (failed || job->value.action == Action::kill) work[agent].ended = false;
      work[agent].failure = std::move(failed);
      if (for_owner && !is_stopping && !work[agent].again) tell_overseer(agent);
      if (auto& failure = work[agent].failure; failure && !is_stopping && !work[agent].again)
        web::log::warning("agent_job_failed", {{"agent", agent}, {"reason", failure->message}});
      auto current = system.get(jobs, agent);
      const bool is_left = current && current->stored == job->stored && !is_stopping && !work[agent].again;
      if (is_left && work[agent].failure && engine_is_away(*work[agent].failure)) ask_again_later();
      if (is_left) co_return;
    }
    work[agent].failure = shutting_down();
  }

  void tell_overseer(const std::string& id) {
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
    for (auto& waiter : done.mapped().waiting) waiter->over(failure);
    if (done.mapped().ended) process_ended(agent, done.mapped().exit_code);
  }

  void tell_if_quiet() {
    if (at_work + watching > 0) return;
    for (auto& waiter : std::exchange(waiting_for_quiet, {})) waiter->over();
  }

  Task<Result<void>> finished(std::string agent) {
    auto entry = work.find(agent);
    if (entry == work.end()) co_return Result<void>();
    const auto waiter = std::make_shared<Waiter>(home);
    entry->second.waiting.push_back(waiter);
    co_await waiter->wait();
    if (!waiter->is_over) co_return shutting_down();
    if (waiter->failure) co_return *waiter->failure;
    co_return Result<void>();
  }

  Task<> wind_down() {
    is_stopping = true;
    engine_pause.cancel();
    for (auto& agent : std::exchange(queue, {})) {
      work[agent].failure = shutting_down();
      conclude(agent, {});
    }
    if (at_work + watching == 0) co_return;
    const auto waiter = std::make_shared<Waiter>(home);
    waiting_for_quiet.push_back(waiter);
    co_await waiter->wait();
  }

  // One at a time; when it is asked for meanwhile, once more.
  Task<> recover() {
    reconcile_again = true;
    if (is_reconciling) co_return;
    const Raised reconciling(is_reconciling);
    while (std::exchange(reconcile_again, false) && !is_stopping) co_await reconcile();
  }

  // An engine that went away tells when it is back, one that hung does not.
  void ask_again_later() {
    engine_owes = true;
    if (!std::exchange(is_asking_again, true)) spawn_watched(ask_again(), "agents_not_recovered");
  }

  Task<> ask_again() {
    const Raised asking(is_asking_again);
    while (std::exchange(engine_owes, false) && !is_stopping) {
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
    std::set<std::string> ids(left.begin(), left.end());  // each once: an adopted process has one watcher
    for (auto& agent : wanted) ids.insert(agent.id);
    std::vector<std::string> known(ids.begin(), ids.end());
    const auto adopted = co_await engine.adopt(std::move(known));
    if (!adopted) {
      if (!std::exchange(is_engine_away, true))
        web::log::warning("agents_wait_for_their_engine", {{"reason", adopted.error().message}});
      for (auto& agent : wanted) co_await wait_for_engine(agent, adopted.error().message);
      ask_again_later();
      co_return;
    }
    is_engine_away = false;
    for (auto& agent : left)
      if (!is_stopping && !work.contains(agent)) co_await take_up(agent);
    for (auto& agent : wanted) {
      if (is_stopping) co_return;
      if (work.contains(agent.id)) continue;
      auto instance = co_await engine.inspect(agent.id);
      if (!instance) continue;  // the engine has gone again
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
      auto asked = co_await ask(agent.owner, std::move(job), std::move(edit));
      if (asked) enqueue(agent.id);
    }
    for (auto& agent : *adopted)
      if (!is_stopping && !work.contains(agent)) co_await end_if_unwanted(agent);
  }

  // Whoever waits for it to come up is told at once.
  Task<> wait_for_engine(const Agent& agent, const std::string& reason) {
    if (agent.status != Status::provisioning) co_return;
    std::function<void(Agent&)> edit = [&reason](Agent& now) {
      if (now.status != Status::provisioning) return;
      now.status = Status::error;
      now.status_reason = reason;
    };
    co_await system.modify(records, agent.owner, agent.id, std::move(edit));
  }

  // What could not be ended when it was to be: its record says already how it is.
  Task<> end_if_unwanted(std::string agent) {
    const auto row = system.find_unique(records, "agent", agent);
    if (row && row->value.desired == desired::stopped && !system.get(jobs, agent)) {
      std::function<void(Agent&)> edit = [](Agent&) {};
      Job job{.agent = agent, .action = Action::kill};
      const auto asked = co_await ask(row->value.owner, std::move(job), std::move(edit));
      if (asked) enqueue(agent);
    } else if (!row) {
      web::log::warning("agent_of_nobody", {{"agent", agent}});
      auto ended = co_await engine.stop(agent, options.stop_grace);
      if (ended) ended = co_await engine.remove(agent);
      if (!ended) web::log::warning("agent_of_nobody_runs", {{"agent", agent}, {"reason", ended.error().message}});
    }
  }

  // One that runs and has nothing to be done, but was to be started again by a box that died before it said so in a
  // job, or that its engine knew nothing of for a while.
  Task<> settle(const Agent& agent) {
    if (agent.status == Status::running) co_return;
    std::function<void(Agent&)> edit = [](Agent& now) {
      now.status = Status::running;
      now.status_reason.clear();
    };
    co_await system.modify(records, agent.owner, agent.id, std::move(edit));
  }

  // A job that was left. What the watchdog of an earlier box was in the middle of begins anew.
  Task<> take_up(std::string agent) {
    const auto job = system.get(jobs, agent);
    const bool was_repair = job && (job->value.action == Action::kill || job->value.action == Action::revive);
    const auto row = was_repair ? system.find_unique(records, "agent", agent) : std::nullopt;
    if (row && row->value.desired == desired::running) {
      std::function<void(Agent&)> edit = [](Agent& now) { now.status = Status::provisioning; };
      Job again{.agent = agent, .action = Action::restart};
      co_await ask(row->value.owner, std::move(again), std::move(edit));
    } else if (job && brings_up(job->value.action)) {
      std::function<void(Agent&)> edit = [](Agent& now) {
        if (now.status == Status::error) now.status = Status::provisioning;
      };
      co_await system.modify(records, job->value.owner, agent, std::move(edit));
    }
    enqueue(agent);
  }

  void engine_is_back() {
    if (!is_stopping) spawn_watched(recover(), "agents_not_recovered");
  }

  // Which stop() waits for.
  void spawn_watched(Task<> task, std::string event) {
    ++watching;
    asio::co_spawn(home, std::move(task), [self = shared_from_this(), event](std::exception_ptr failure) {
      --self->watching;
      if (failure) try {
          std::rethrow_exception(failure);
        } catch (const std::exception& error) {
          web::log::error(event, {{"error", std::string(error.what())}});
        }
      self->tell_if_quiet();
    });
  }

  // recover(), which stop() waits for.
  Task<> recover_watched() {
    const auto self = shared_from_this();
    ++watching;
    std::exception_ptr failure;
    try {
      co_await recover();
    } catch (...) {
      failure = std::current_exception();
    }
    --watching;
    tell_if_quiet();
    if (failure) std::rethrow_exception(failure);
  }

  Task<Result<Agent>> ask(store::UserId owner, Job wanted, std::function<void(Agent&)> edit) {
    wanted.owner = owner;
    for (;;) {
      auto row = system.get(records, owner, wanted.agent);
      if (!row || (row->value.desired == desired::removed && wanted.action != Action::remove))
        co_return web::not_found();
      edit(row->value);
      row->value.updated_at = wanted.created_at = store::now();
      auto change = system.change();
      change.update(records, *row);
      put_job(system, wanted, change);
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

  // A process ended. While a job is at work on the agent that job's result comes first.
  void process_ended(std::string agent, std::optional<int> exit_code) {
    if (is_stopping) return;
    if (auto entry = work.find(agent); entry != work.end()) {
      entry->second.ended = true;
      entry->second.exit_code = exit_code;
      return;
    }
    spawn_watched(deal_with_end(agent, exit_code), "agent_end_not_noted");
  }

  Task<> deal_with_end(std::string id, std::optional<int> exit_code) {
    auto row = system.find_unique(records, "agent", id);
    if (!row || row->value.desired != desired::running) co_return;
    auto instance = co_await engine.inspect(id);
    if (instance && instance->state == runtime::State::running) co_return;
    if (work.contains(id)) co_return;  // a job has come meanwhile, and finds it ended
    auto how = how_it_ended(exit_code);
    web::log::warning("agent_ended", {{"agent", id}, {"how", how}});
    observer.ended(row->value, std::move(how));
  }

  Task<Result<void>> carry_out(store::UserId owner, std::string agent, Action action,
                               std::function<void(Agent&)> edit) {
    if (is_stopping) co_return shutting_down();
    for (;;) {
      auto row = system.get(records, owner, agent);
      const bool gives_way = !row || row->value.desired != desired::running || system.get(jobs, agent);
      if (gives_way) co_return web::conflict("The agent is not the watchdog's any more.");
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

Provisioner::Provisioner(store::System system, runtime::Engine& engine, Ports& ports, ProvisionerOptions options,
                         asio::io_context& home, asio::thread_pool& files)
    : impl_(std::make_shared<Impl>(std::move(system), engine, ports, std::move(options), home, files)) {
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

void Provisioner::set_overseer(LifecycleObserver observer) { impl_->observer = std::move(observer); }

void Provisioner::set_addresses(std::string backend_url, std::string summarizer_url) {
  impl_->worker.backend_url = std::move(backend_url);
  impl_->worker.summarizer_url = std::move(summarizer_url);
}

void Provisioner::when_removed(std::function<Task<>(store::UserId, std::string)> cleanup) {
  impl_->worker.cleanups.push_back(std::move(cleanup));
}

Task<> Provisioner::start() { co_await web::run_on(impl_->home, impl_->recover_watched()); }

Task<> Provisioner::stop() { co_await web::run_on(impl_->home, impl_->wind_down()); }

Task<Result<Agent>> Provisioner::ask(store::UserId owner, Job job, std::function<void(Agent&)> edit) {
  const auto agent = job.agent;
  auto asked = co_await impl_->ask(owner, std::move(job), std::move(edit));
  if (asked) notify(agent);
  co_return asked;
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

}  // namespace agents
