#include "appliance/hosting/agents/provisioning/supervision.h"

#include <boost/asio/post.hpp>
#include <utility>

#include "appliance/access/events.h"
#include "appliance/runtime/watchdog/probe.h"
#include "web/run_on.h"

namespace agents {
namespace {

using watchdog::Outcome;
using watchdog::Report;
using web::Task;

constexpr std::chrono::seconds watchdog_probe_timeout{5};

watchdog::Policy policy_of(const agentbox::Settings& settings) {
  watchdog::Policy policy;
  policy.check_interval = settings.watchdog_check_interval;
  policy.degraded_check_interval = settings.watchdog_degraded_check_interval;
  policy.startup_failure_threshold = settings.watchdog_startup_failure_threshold;
  policy.max_repair_attempts = settings.watchdog_max_repair_attempts;
  policy.crash_loop_window = settings.watchdog_crash_loop_window;
  policy.crash_loop_threshold = settings.watchdog_crash_loop_threshold;
  policy.auto_repair = settings.watchdog_auto_repair && settings.provisioning_enabled;
  return policy;
}

watchdog::NotifierOptions notifier_options(const agentbox::Settings& settings) {
  watchdog::NotifierOptions options;
  options.bot_token = settings.notify_bot_token;
  options.chat_id = settings.notify_chat_id;
  options.bot_api_url = settings.notify_bot_api_url;
  options.webhook_url = settings.notify_webhook_url;
  return options;
}

watchdog::Target target_of(const Agent& agent) {
  return {.owner = agent.owner, .id = agent.id, .name = agent.name, .port = std::uint16_t(agent.port.value_or(0))};
}

}  // namespace

Supervision::Supervision(store::System system, Provisioner& provisioner, agentbox::Events& events,
                         const agentbox::Settings& settings, Entered entered, Notified notified)
    : provisioner_(provisioner),
      entered_(std::move(entered)),
      notified_(std::move(notified)),
      notifier_(notifier_options(settings), provisioner.home()),
      watchdog_(std::move(system), policy_of(settings), actions(), provisioner.home()) {
  provisioner_.set_observer(observer());
  events.agent_removed.subscribe(
      [this](store::UserId owner, std::string agent) { return watchdog_.forget(owner, std::move(agent)); });
}

Task<watchdog::Watch> Supervision::look(const Agent& agent) { return watchdog_.look(agent.owner, agent.id); }

void Supervision::attend(store::UserId user) {
  boost::asio::post(provisioner_.home(), [this, user] { watchdog_.attend(user); });
}

Task<web::Result<Agent>> Supervision::repair(store::UserId owner, std::string agent) {
  co_return co_await web::run_on(provisioner_.home(), repair_at_home(owner, std::move(agent)));
}

Task<web::Result<Agent>> Supervision::repair_at_home(store::UserId owner, std::string id) {
  std::function<void(Agent&)> edit = [](Agent& agent) {
    agent.desired = desired::running;
    agent.status = Status::provisioning;
    agent.status_reason = "Its owner has it repaired.";
  };
  auto agent = co_await provisioner_.claim(owner, std::move(id), std::move(edit));
  if (agent) watchdog_.repair(target_of(*agent));
  co_return agent;
}

Task<> Supervision::stop() { co_await web::run_on(provisioner_.home(), stop_at_home()); }

Task<> Supervision::stop_at_home() {
  co_await watchdog_.stop();
  co_await notifier_.stop();
}

watchdog::WatchdogActions Supervision::actions() {
  watchdog::WatchdogActions actions;
  actions.check = [this](watchdog::Target target, watchdog::Command check) {
    return watchdog::probe(target.port, check, watchdog_probe_timeout, provisioner_.probe_path(target.port));
  };
  actions.kill = [this](watchdog::Target target, std::string why) {
    return carry_out(std::move(target), Action::kill, [why](Agent& agent) {
      agent.status = Status::provisioning;
      agent.status_reason = why + "; it is being repaired.";
    });
  };
  actions.start = [this](watchdog::Target target, std::string why) {
    return carry_out(std::move(target), Action::revive, [why](Agent& agent) {
      agent.status = Status::provisioning;
      if (!why.empty()) agent.status_reason = why;
    });
  };
  actions.give_up = [this](watchdog::Target target, std::string why) {
    return carry_out(std::move(target), Action::kill, [why](Agent& agent) {
      agent.status = Status::error;
      agent.status_reason = why;
      agent.desired = desired::stopped;
    });
  };
  actions.notify = [this](const watchdog::Target& target, watchdog::Notice notice, const std::string& why) {
    const bool is_new = notifier_.notify(target.id, target.name, notice, why);
    if (is_new && notified_) notified_(target, notice, why);
  };
  actions.entered = [this](const watchdog::Watch& watch) {
    if (entered_) entered_(watch);
  };
  return actions;
}

LifecycleObserver Supervision::observer() {
  LifecycleObserver observer;
  observer.started = [this](const Agent& agent) { watchdog_.begin(target_of(agent)); };
  observer.adopted = [this](const Agent& agent) { watchdog_.resume(target_of(agent)); };
  observer.stopped = [this](const Agent& agent) { watchdog_.stopped(agent.owner, agent.id); };
  observer.job_begins = [this](const std::string& agent) { watchdog_.release(agent); };
  observer.exited = [this](const Agent& agent, std::string how) { watchdog_.exited(target_of(agent), std::move(how)); };
  return observer;
}

Task<Report> Supervision::carry_out(watchdog::Target target, Action action, Edit edit) {
  const auto done = co_await provisioner_.carry_out(target.owner, target.id, action, std::move(edit));
  if (done) co_return Report{};
  const bool is_unknown = done.error().kind == web::Kind::unavailable;
  co_return Report{is_unknown ? Outcome::unknown : Outcome::bad, done.error().message};
}

}  // namespace agents
