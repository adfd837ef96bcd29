#include "appliance/hosting/terminals/terminals.h"

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <map>
#include <utility>

#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/task_group.h"
#include "appliance/hosting/terminals/records.h"
#include "store/transact.h"
#include "web/run_on.h"

namespace terminals {

namespace {

namespace asio = boost::asio;
using web::Result;
using web::Task;
using Clock = std::chrono::steady_clock;

constexpr std::size_t piece_bytes = 32u << 10;
// Of what was written: the most that waits to be read, and what is kept for a page that connects again.
constexpr std::size_t max_unread_bytes = 256u << 10, kept_bytes = 64u << 10;
constexpr std::chrono::seconds unread_time{15}, ended_time{30}, stop_time{3};
constexpr std::chrono::milliseconds watch_interval{500}, stop_interval{10};

constexpr auto terminal_opened = "terminal of an agent opened", terminal_ended = "terminal of an agent ended";

// Used on `home` only.
struct Terminal {
  Terminal(const web::Executor& executor, audit::Actor by, std::string of_agent)
      : actor(std::move(by)),
        agent(std::move(of_agent)),
        changed(executor, web::Timer::time_point::max()),
        taken(executor, web::Timer::time_point::max()) {}

  std::int64_t end() const { return before + std::int64_t(kept.size()); }

  const audit::Actor actor;
  const std::string agent;
  std::string program;        // of Programs; empty: it is being started
  web::Timer changed, taken;  // cancelled whenever there is more to read, and whenever something was read
  std::string kept;           // the newest output
  std::int64_t before = 0;    // bytes that were dropped
  std::int64_t read = 0;      // bytes that were read
  bool is_over = false;
  std::optional<int> exit_code;
  std::string ended_because;
  const store::Time started_at = store::now();
  const Clock::time_point began = Clock::now();
  Clock::time_point typed_at = began, read_at = began, over_at{};
};
using TerminalPtr = std::shared_ptr<Terminal>;

Task<> wait_for(web::Timer& signal) {
  boost::system::error_code woken;
  co_await signal.async_wait(asio::redirect_error(web::use_task, woken));
}

}  // namespace

bool is_included(const store::System& system, billing::Plan plan) {
  return system.get(plans, std::string(billing::to_string(plan))).has_value();
}

bool is_included(const store::System& system, const agents::Agent& agent) {
  return is_included(system, billing::plan_named(agent.plan).value_or(billing::Plan::label));
}

Task<> set_included(store::System system, billing::Plan plan, bool is_to_be) {
  const PlanWithTerminals wanted{.plan = std::string(billing::to_string(plan)), .changed_at = store::now()};
  const auto step = [&](store::Change& change) {
    const auto row = system.get(plans, wanted.plan);
    if (row.has_value() == is_to_be) return false;
    if (is_to_be)
      store::put(change, system, plans, wanted);
    else
      change.erase(plans, *row);
    return true;
  };
  co_await store::transact(system, step);
}

struct Terminals::State : std::enable_shared_from_this<State> {
  State(const commands::Programs& runs, audit::Audit& log, asio::io_context& context, Options given)
      : programs(runs), audit(log), home(context), options(std::move(given)), tasks(context, "terminals") {}

  const commands::Programs& programs;
  audit::Audit& audit;
  asio::io_context& home;
  const Options options;
  agentbox::TaskGroup tasks;
  // Used on `home` only.
  std::map<std::string, TerminalPtr> terminals;
  std::size_t notes = 0;  // that are being written
  bool is_watching = false, is_stopping = false;

  std::size_t count(auto&& counts) const {
    return std::size_t(
        std::ranges::count_if(terminals, [&](const auto& one) { return !one.second->is_over && counts(*one.second); }));
  }
  Result<void> has_room(store::UserId owner, const std::string& agent) const {
    const auto too_many = [](std::string message) {
      return web::Error{.kind = web::Kind::too_many, .message = std::move(message)};
    };
    if (count([&](const Terminal& one) { return one.agent == agent; }) >= max_of_agent)
      return too_many("This agent has " + std::to_string(max_of_agent) + " open terminals: close one first.");
    if (count([&](const Terminal& one) { return one.actor.caller.user_id == owner; }) >= max_of_user)
      return too_many("You have " + std::to_string(max_of_user) + " open terminals: close one first.");
    if (count([](const Terminal&) { return true; }) >= max_of_box)
      return too_many("Too many terminals are open on this box: try again later.");
    return {};
  }

  commands::Follower follower_of(const TerminalPtr& terminal) {
    commands::Follower follower;
    follower.output = [terminal](std::string_view text) {
      terminal->kept += text;
      terminal->changed.cancel();
    };
    follower.error = [](std::string_view) {};  // a terminal has one output
    follower.ready = [terminal]() -> Task<> {
      while (!terminal->is_over && terminal->end() - terminal->read > std::int64_t(max_unread_bytes))
        co_await wait_for(terminal->taken);
    };
    follower.ended = [self = weak_from_this(), terminal](std::optional<int> exit_code, const std::string& because) {
      terminal->exit_code = exit_code;
      if (terminal->ended_because.empty()) terminal->ended_because = because;
      terminal->is_over = true;
      terminal->over_at = Clock::now();
      terminal->changed.cancel();
      terminal->taken.cancel();
      if (const auto alive = self.lock()) alive->note_end(*terminal);
    };
    return follower;
  }

  void note_end(const Terminal& terminal) {
    auto entry = audit::entry_by(terminal.actor, terminal_ended, terminal.agent);
    const auto time = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - terminal.began);
    entry.outcome += ", after " + std::to_string(time.count()) + " s";
    if (!terminal.ended_because.empty()) entry.outcome += ": " + terminal.ended_because;
    ++notes;
    tasks.spawn("notes", note(std::move(entry)));
  }
  Task<> note(audit::Entry entry) {
    co_await audit.note(std::move(entry));
    --notes;
  }

  Task<Result<std::string>> open(audit::Actor actor, std::string agent, runtime::TerminalSize size) {
    if (is_stopping) co_return web::unavailable("The box is shutting down.");
    if (const auto room = has_room(actor.caller.user_id, agent); !room) co_return room.error();
    const auto terminal = std::make_shared<Terminal>(home.get_executor(), std::move(actor), agent);
    const auto id = "term_" + crypto::random_id(16);
    terminals.emplace(id, terminal);
    commands::Order order;
    order.terminal = size;
    auto started = co_await programs.serve(std::move(agent), std::move(order), follower_of(terminal));
    if (!started) {
      terminals.erase(id);
      co_return started.error();
    }
    terminal->program = std::move(*started);
    terminal->typed_at = terminal->read_at = Clock::now();
    co_await audit.note(audit::entry_by(terminal->actor, terminal_opened, terminal->agent));
    if (is_stopping) kill(*terminal, "The box was stopped.");
    if (!std::exchange(is_watching, true)) tasks.spawn("watch", watch());
    co_return id;
  }

  void kill(Terminal& terminal, std::string because) const {
    if (terminal.is_over) return;
    if (terminal.ended_because.empty()) terminal.ended_because = std::move(because);
    programs.end(terminal.program);
  }

  // While there are terminals.
  Task<> watch() {
    while (!terminals.empty()) {
      co_await web::sleep_for(watch_interval);
      const auto now = Clock::now();
      for (const auto& [id, terminal] : terminals) {
        if (terminal->is_over || terminal->program.empty()) continue;
        if (now - terminal->read_at > unread_time)
          kill(*terminal, "Its page was closed.");
        else if (now - terminal->typed_at > options.idle_time)
          kill(*terminal, "Nothing was typed for a long time.");
        else if (auto why = options.why_over(terminal->actor.caller, terminal->agent); !why.empty())
          kill(*terminal, std::move(why));
      }
      std::erase_if(terminals,
                    [now](const auto& one) { return one.second->is_over && now - one.second->over_at > ended_time; });
    }
    is_watching = false;
  }

  TerminalPtr find(const TerminalKey& key) const {
    const auto found = terminals.find(key.id);
    if (found == terminals.end()) return nullptr;
    const auto& terminal = found->second;
    const bool is_theirs = terminal->actor.caller.user_id == key.owner && terminal->agent == key.agent;
    return is_theirs && !terminal->program.empty() ? terminal : nullptr;
  }

  static TerminalOutput piece_of(Terminal& terminal, std::int64_t from) {
    TerminalOutput piece;
    const auto begin = std::clamp(from, terminal.before, terminal.end());
    auto bytes = terminal.kept.substr(std::size_t(begin - terminal.before), piece_bytes);
    const auto taken = std::int64_t(bytes.size());
    const bool is_last = terminal.is_over && begin + taken == terminal.end();
    piece.text = commands::take_utf8(bytes, is_last);
    piece.next = begin + taken - std::int64_t(bytes.size());
    piece.is_running = !is_last;
    piece.exit_code = terminal.exit_code;
    piece.ended_because = terminal.ended_because;
    terminal.read = std::max(terminal.read, piece.next);
    const auto surplus = terminal.read - terminal.before - std::int64_t(kept_bytes);
    if (surplus > std::int64_t(kept_bytes)) {
      terminal.kept.erase(0, std::size_t(surplus));
      terminal.before += surplus;
    }
    terminal.taken.cancel();
    return piece;
  }

  Task<Result<TerminalOutput>> read(TerminalKey key, std::int64_t from, std::chrono::milliseconds patience) {
    const auto terminal = find(key);
    if (!terminal) co_return web::not_found("No such terminal");
    const auto deadline = Clock::now() + patience;
    for (;;) {
      terminal->read_at = Clock::now();
      auto piece = piece_of(*terminal, from);
      if (!piece.text.empty() || !piece.is_running || Clock::now() >= deadline) co_return piece;
      // Setting the time wakes all that wait: only an earlier one is set.
      auto& changed = terminal->changed;
      if (deadline < changed.expiry() || changed.expiry() <= Clock::now()) changed.expires_at(deadline);
      co_await wait_for(changed);
    }
  }

  Task<Result<void>> type(TerminalKey key, std::string text) {
    const auto terminal = find(key);
    if (!terminal) co_return web::not_found("No such terminal");
    if (terminal->is_over) co_return web::conflict("The terminal has ended.");
    terminal->typed_at = Clock::now();
    if (!programs.send(terminal->program, text)) co_return web::conflict("The terminal does not read what is typed.");
    co_return Result<void>();
  }

  Task<Result<void>> resize(TerminalKey key, runtime::TerminalSize size) {
    const auto terminal = find(key);
    if (!terminal) co_return web::not_found("No such terminal");
    programs.resize(terminal->program, size);
    co_return Result<void>();
  }

  Task<Result<void>> end(TerminalKey key) {
    const auto terminal = find(key);
    if (!terminal) co_return web::not_found("No such terminal");
    kill(*terminal, "It was closed.");
    co_return Result<void>();
  }

  Task<std::vector<TerminalSummary>> list(store::UserId owner, std::string agent) {
    std::vector<TerminalSummary> found;
    for (const auto& [id, terminal] : terminals)
      if (!terminal->is_over && terminal->actor.caller.user_id == owner && terminal->agent == agent)
        found.push_back({.id = id, .started_at = terminal->started_at});
    std::ranges::sort(found, {}, &TerminalSummary::started_at);
    co_return found;
  }

  Task<> stop() {
    is_stopping = true;
    for (const auto& [id, terminal] : terminals) kill(*terminal, "The box was stopped.");
    const auto deadline = Clock::now() + stop_time;
    const auto runs = [](const Terminal&) { return true; };
    while ((count(runs) > 0 || notes > 0) && Clock::now() < deadline) co_await web::sleep_for(stop_interval);
    co_await tasks.stop();
  }
};

Terminals::Terminals(const commands::Programs& programs, audit::Audit& audit, asio::io_context& home, Options options)
    : state_(std::make_shared<State>(programs, audit, home, std::move(options))) {}

Terminals::~Terminals() = default;

Task<Result<std::string>> Terminals::open(audit::Actor actor, std::string agent, runtime::TerminalSize size) {
  co_return co_await web::run_on(state_->home, state_->open(std::move(actor), std::move(agent), size));
}

Task<Result<TerminalOutput>> Terminals::read(TerminalKey key, std::int64_t from, std::chrono::milliseconds patience) {
  co_return co_await web::run_on(state_->home, state_->read(std::move(key), from, patience));
}

Task<Result<void>> Terminals::type(TerminalKey key, std::string text) {
  co_return co_await web::run_on(state_->home, state_->type(std::move(key), std::move(text)));
}

Task<Result<void>> Terminals::resize(TerminalKey key, runtime::TerminalSize size) {
  co_return co_await web::run_on(state_->home, state_->resize(std::move(key), size));
}

Task<Result<void>> Terminals::end(TerminalKey key) {
  co_return co_await web::run_on(state_->home, state_->end(std::move(key)));
}

Task<std::vector<TerminalSummary>> Terminals::list(store::UserId owner, std::string agent) {
  co_return co_await web::run_on(state_->home, state_->list(owner, std::move(agent)));
}

Task<> Terminals::stop() { return state_->stop(); }

}  // namespace terminals
