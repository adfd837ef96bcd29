#include "appliance/runtime/watchdog/watchdog.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <deque>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "appliance/runtime/watchdog/agenda.h"
#include "appliance/runtime/watchdog/journal.h"
#include "web/log.h"
#include "web/metrics.h"
#include "web/run_on.h"

namespace watchdog {
namespace {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;
using web::Task;

struct Watched {
  Watched(Target given, const Policy& policy, std::uint32_t seed, Watch read)
      : target(std::move(given)), machine(policy, seed), watch(std::move(read)) {}
  Target target;
  Machine machine;
  Watch watch;
  TimePoint checked;  // when its last check ended
};

// A command of a machine. Refers to the machine, not the agent: by the time of the report the agent may have a new
// machine with its own tickets.
struct Job {
  std::weak_ptr<Watched> watched;
  Command command;
  std::uint64_t ticket;
  std::string why;
};

bool is_check(Command command) { return command == Command::check_live || command == Command::check_ready; }

// Of agents whose owner is looking. With the 5 seconds that a check waits for an answer, an agent that hangs is seen
// within 10 seconds.
constexpr std::chrono::seconds attended_interval{2};
constexpr std::size_t max_attended_checks = 32;  // in one round

std::string name_of(State state) { return boost::describe::enum_to_string(state, ""); }

}  // namespace

struct Watchdog::Impl : std::enable_shared_from_this<Impl> {
  Impl(store::System system, Policy chosen, WatchdogActions given, asio::io_context& context, std::size_t most)
      : policy(chosen),
        actions(std::move(given)),
        home(context),
        max_checks(most),
        journal(std::move(system), context),
        timer(context.get_executor()),
        quiet(context.get_executor(), web::Timer::time_point::max()),
        seeds(std::random_device{}()) {}

  const Policy policy;
  const WatchdogActions actions;
  asio::io_context& home;
  const std::size_t max_checks;
  // Used on `home` only.
  Journal journal;
  std::map<std::string, std::shared_ptr<Watched>> watched;  // by agent
  std::map<store::UserId, TimePoint> attended;              // the last rounds of owners who are looking
  Agenda agenda;
  std::deque<Job> waiting;              // checks beyond max_checks
  std::size_t checks = 0, changes = 0;  // errands at work: those that only ask, and those that do something
  web::Timer timer;                     // set to the earliest time of the agenda
  std::optional<TimePoint> timer_at;
  web::Timer quiet;  // cancelled when no change is running
  bool is_stopping = false;
  std::minstd_rand seeds;

  std::shared_ptr<Watched> watch(const Target& target) {
    auto fresh = std::make_shared<Watched>(target, policy, seeds(), journal.read(target.owner, target.id));
    watched.insert_or_assign(target.id, fresh);
    return fresh;
  }

  std::shared_ptr<Watched> known(const std::string& agent) const {
    const auto found = watched.find(agent);
    return found == watched.end() ? nullptr : found->second;
  }

  void attend(store::UserId owner) {
    const auto now = Clock::now();
    auto& last = attended[owner];
    if (now - last < attended_interval) return;
    last = now;
    std::vector<std::shared_ptr<Watched>> unchecked;
    for (const auto& [agent, one] : watched)
      if (one->target.owner == owner && one->machine.state() == State::running &&
          now - one->checked >= attended_interval)
        unchecked.push_back(one);
    const auto longest = std::min(unchecked.size(), max_attended_checks);
    std::ranges::partial_sort(unchecked, unchecked.begin() + std::ptrdiff_t(longest), {}, &Watched::checked);
    unchecked.resize(longest);
    for (const auto& one : unchecked) take(one, one->machine.check_now(now));
    std::erase_if(attended, [now](const auto& each) { return now - each.second > 10 * attended_interval; });
  }

  void release(const std::string& agent) {
    watched.erase(agent);
    agenda.clear(agent);
  }

  void take(const std::shared_ptr<Watched>& one, Step step) {
    if (is_stopping) return;
    const auto& id = one->target.id;
    if (step.wake_at) {
      agenda.set(id, *step.wake_at);
    } else {
      agenda.clear(id);
    }
    set_timer();
    note(*one, step);
    if (step.notice) actions.notify(one->target, *step.notice, step.why);
    if (step.command != Command::nothing) send({one, step.command, step.ticket, std::move(step.why)});
  }

  void note(Watched& one, const Step& step) {
    auto& watch = one.watch;
    if (step.crashed) ++watch.crashes;
    if (step.command == Command::kill) ++watch.repairs;
    if (step.entered) enter(watch, one.machine.state(), step.why);
    if (step.entered || step.crashed) journal.write(watch);
  }

  void enter(Watch& watch, State state, const std::string& why) const {
    const auto now = store::now();
    if (watch.state != state || watch.history.empty()) watch.since = now;
    watch.state = state;
    watch.history.push_back({now, state, why});
    if (watch.history.size() > history_kept) watch.history.erase(watch.history.begin());
    web::log::info("watchdog", {{"agent", watch.id}, {"state", name_of(state)}, {"reason", why}});
    web::metrics()
        .counter("agentbox_watchdog_transitions_total", "States that agents were seen to enter.",
                 {{"state", name_of(state)}})
        .add();
    if (actions.entered) actions.entered(watch);
  }

  // Keeps one pending wait; waking too early is harmless.
  void set_timer() {
    const auto next = agenda.next();
    if (!next || is_stopping || (timer_at && *timer_at <= *next)) return;
    timer_at = next;
    timer.expires_at(*next);
    timer.async_wait([weak = weak_from_this()](boost::system::error_code error) {
      if (auto self = weak.lock(); self && !error) self->wake_the_due();
    });
  }

  void wake_the_due() {
    timer_at.reset();
    const auto now = Clock::now();
    while (const auto id = agenda.take(now))
      if (const auto one = known(*id)) take(one, one->machine.wake(now));
    set_timer();
  }

  void send(Job job) {
    if (is_check(job.command) && checks >= max_checks) {
      waiting.push_back(std::move(job));
      return;
    }
    auto& counter = is_check(job.command) ? checks : changes;
    ++counter;
    asio::co_spawn(home, run(shared_from_this(), std::move(job)),
                   [self = shared_from_this(), &counter](std::exception_ptr failure) {
                     --counter;
                     if (self->changes == 0) self->quiet.cancel();
                     self->send_waiting();
                     if (failure) std::rethrow_exception(failure);
                   });
  }

  void send_waiting() {
    while (!waiting.empty() && checks < max_checks && !is_stopping) {
      auto job = std::move(waiting.front());
      waiting.pop_front();
      if (!job.watched.expired()) send(std::move(job));
    }
  }

  static Task<> run(std::shared_ptr<Impl> self, Job job) {
    const auto one = job.watched.lock();
    if (!one) co_return;
    Report report;
    try {
      report = co_await self->perform(one->target, job.command, std::move(job.why));
    } catch (const std::exception& error) {
      report = {Outcome::unknown, error.what()};
      web::log::warning("watchdog_errand_broken", {{"agent", one->target.id}, {"reason", report.why}});
    }
    if (is_check(job.command)) {
      one->watch.last_probe = store::now();
      one->checked = Clock::now();
    }
    if (self->known(one->target.id) != one) co_return;  // released meanwhile
    self->take(one, one->machine.report(Clock::now(), job.ticket, std::move(report)));
  }

  Task<Report> perform(Target target, Command command, std::string why) {
    switch (command) {
      case Command::check_live:
      case Command::check_ready:
        co_return co_await actions.check(std::move(target), command);
      case Command::kill:
        co_return co_await actions.kill(std::move(target), std::move(why));
      case Command::start:
        co_return co_await actions.start(std::move(target), std::move(why));
      case Command::give_up:
        co_return co_await actions.give_up(std::move(target), std::move(why));
      case Command::nothing:
        break;
    }
    co_return Report{};
  }

  Task<Watch> look(store::UserId owner, std::string agent) {
    if (const auto one = known(agent); one && one->target.owner == owner) co_return one->watch;
    co_return journal.read(owner, agent);
  }
};

Watchdog::Watchdog(store::System system, Policy policy, WatchdogActions actions, asio::io_context& home,
                   std::size_t max_checks)
    : impl_(std::make_shared<Impl>(std::move(system), policy, std::move(actions), home, max_checks)) {}

Watchdog::~Watchdog() = default;

Task<Watch> Watchdog::look(store::UserId owner, std::string agent) {
  co_return co_await web::run_on(impl_->home, impl_->look(owner, std::move(agent)));
}

void Watchdog::attend(store::UserId owner) { impl_->attend(owner); }

void Watchdog::begin(const Target& target) {
  const auto one = impl_->watch(target);
  impl_->take(one, one->machine.begin(Clock::now()));
}

void Watchdog::resume(const Target& target) {
  if (impl_->known(target.id)) return;
  const auto one = impl_->watch(target);
  const auto now = Clock::now();
  impl_->take(one, one->watch.state == State::running ? one->machine.resume(now) : one->machine.begin(now));
}

void Watchdog::exited(const Target& target, std::string how) {
  auto one = impl_->known(target.id);
  if (!one) {
    one = impl_->watch(target);
    one->machine.resume(Clock::now());
  }
  impl_->take(one, one->machine.exited(Clock::now(), std::move(how)));
}

void Watchdog::repair(const Target& target) {
  auto one = impl_->known(target.id);
  if (!one) one = impl_->watch(target);
  impl_->take(one, one->machine.repair_asked(Clock::now()));
}

void Watchdog::release(const std::string& agent) { impl_->release(agent); }

void Watchdog::stopped(store::UserId owner, const std::string& agent) {
  impl_->release(agent);
  auto watch = impl_->journal.read(owner, agent);
  if (watch.state == State::stopped) return;
  impl_->enter(watch, State::stopped, "");
  impl_->journal.write(watch);
}

Task<> Watchdog::forget(store::UserId owner, std::string agent) {
  impl_->release(agent);
  return impl_->journal.forget(owner, std::move(agent));
}

Task<> Watchdog::stop() {
  const auto impl = impl_;
  impl->is_stopping = true;
  impl->timer.cancel();
  while (impl->changes > 0) {
    boost::system::error_code woken;
    co_await impl->quiet.async_wait(asio::redirect_error(web::use_task, woken));
  }
  co_await impl->journal.flush();
}

}  // namespace watchdog
