#include "appliance/hosting/commands/commands.h"

#include <signal.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/write.hpp>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "appliance/foundation/crypto/random.h"
#include "web/log.h"
#include "web/run_on.h"

namespace commands {

namespace {

namespace asio = boost::asio;
using web::Result;
using web::Task;
using Clock = std::chrono::steady_clock;
using Stream = asio::posix::basic_stream_descriptor<web::Executor>;

constexpr std::size_t piece_bytes = 64u << 10, max_waiting_input = 1u << 20, max_kept_commands = 32,
                      max_ended_bytes = 4u << 20, least_ended_bytes = 64u << 10, rounds_between_counts = 10;
constexpr std::chrono::milliseconds watch_interval{200}, longest_patience{25'000};
constexpr std::chrono::seconds unattended_time{30}, grace{2}, last_output_time{1}, ended_time{300};

// Used on `home` only.
struct Process {
  Process(const web::Executor& executor, runtime::RunningCommand started, Order given, std::string of_agent)
      : order(std::move(given)),
        agent(std::move(of_agent)),
        running(std::move(started)),
        output(executor, running.output.release()),
        error(executor),
        input(executor, running.input.release()),
        ended(executor, running.process.get()),
        changed(executor, web::Timer::time_point::max()) {
    if (running.error) error.assign(running.error.release());
  }
  ~Process() { ended.release(); }  // the descriptor is `running`'s

  void wake() { changed.cancel(); }

  const Order order;
  const std::string agent;
  std::string id;
  runtime::RunningCommand running;
  std::shared_ptr<void> network;
  std::optional<Follower> follower;  // of a program that serves
  Stream output, error, input, ended;
  web::Timer changed;
  std::string kept;         // the newest output
  std::int64_t before = 0;  // bytes that were dropped
  std::string unwritten;
  bool is_writing = false, closes_input = false, has_closed_input = false;
  bool has_exited = false, is_over = false;  // over: and its output is complete
  std::optional<int> exit_code;
  std::string ended_because;
  const store::Time started_at = store::now();
  const Clock::time_point began = Clock::now();
  Clock::time_point asked = began, over_at{};
};
using ProcessPtr = std::shared_ptr<Process>;

}  // namespace

struct Commands::State : std::enable_shared_from_this<State> {
  State(runtime::CommandStarter& given_launcher, asio::io_context& context, Options given)
      : launcher(given_launcher),
        home(context),
        options(std::move(given)),
        idle(context.get_executor(), web::Timer::time_point::max()) {}

  runtime::CommandStarter& launcher;
  asio::io_context& home;
  const Options options;
  // Commands end with the thread that started them, so that it is there as long as the box is.
  std::optional<asio::thread_pool> starter;
  // Used on `home` only.
  std::map<std::string, ProcessPtr> processes;
  std::map<std::string, std::uint64_t> limits;  // memory, by agent
  std::size_t starting = 0, coroutines = 0, rounds = 0;
  bool is_watching = false, is_stopping = false;
  web::Timer idle;

  template <class Work>
  void spawn(Work work) {
    ++coroutines;
    asio::co_spawn(home, std::move(work), [self = shared_from_this()](std::exception_ptr failure) {
      --self->coroutines;
      self->idle.cancel();
      if (failure) web::log::warning("command_not_followed", {});
    });
  }

  std::size_t count_running(bool of_programs, const std::string* agent = nullptr) const {
    return std::size_t(std::ranges::count_if(processes, [&](const auto& one) {
      return !one.second->has_exited && one.second->follower.has_value() == of_programs &&
             (!agent || one.second->agent == *agent);
    }));
  }
  bool is_running() const { return count_running(true) + count_running(false) > 0; }
  bool has_room(const std::string& agent, bool of_program) const {
    if (of_program) return count_running(true) + starting < max_programs;
    return count_running(false, &agent) + starting < max_of_agent && count_running(false) + starting < max_of_box;
  }

  Task<Result<std::string>> start(runtime::CommandSpec spec, Order order, std::optional<Follower> follower = {}) {
    if (is_stopping) co_return web::unavailable("The box is shutting down.");
    if (!has_room(spec.agent, follower.has_value()))
      co_return web::Error{.kind = web::Kind::too_many,
                           .message = "Too many commands are running: wait for some to end, or stop them."};
    spec.terminal = order.terminal;
    spec.has_own_error = follower && !order.terminal;
    if (!starter) starter.emplace(1);
    spec.text = text_of(order, options.authority ? options.authority() : std::string());
    limits[spec.agent] = spec.limits.memory_bytes;
    ++starting;
    const auto prepared = co_await launcher.prepare(spec);
    std::optional<runtime::RunningCommand> started;
    std::string failure;
    const auto launch = [this, &spec, &started, &failure] {
      try {
        started = launcher.start(spec);
      } catch (const std::system_error& error) {
        failure = error.what();
      }
    };
    if (prepared) co_await web::offload(*starter, launch);
    --starting;
    if (!prepared) co_return prepared.error();
    if (!started) co_return web::unavailable("The command could not " + failure + ".");
    auto process = std::make_shared<Process>(home.get_executor(), std::move(*started), std::move(order), spec.agent);
    process->id = "cmd_" + crypto::random_id(16);
    process->follower = std::move(follower);
    processes.emplace(process->id, process);
    if (is_stopping) kill(*process, "The box was stopped.");
    auto listening = std::exchange(process->running.listening, files::Descriptor());
    if (options.serve)
      process->network =
          options.serve({.agent = spec.agent, .command = process->id, .listening = std::move(listening)});
    if (process->follower) {
      spawn(follow_program(process, process->output, process->follower->output));
      if (process->error.is_open()) spawn(follow_program(process, process->error, process->follower->error));
    } else {
      spawn(follow_output(process));
    }
    spawn(follow_end(process));
    if (process->order.input) process->unwritten = *process->order.input;
    process->closes_input = process->order.is_attended;
    feed(process);
    if (!is_watching) spawn(watch());
    drop_old(spec.agent);
    co_return process->id;
  }

  void kill(Process& process, std::string because) {
    if (process.has_exited) return;
    if (process.ended_because.empty()) process.ended_because = std::move(because);
    launcher.signal(process.running, SIGKILL);
  }

  Task<> follow_output(ProcessPtr process) {
    std::string buffer(16u << 10, '\0');
    std::uint64_t total = 0;
    for (;;) {
      boost::system::error_code failed;
      const auto got =
          co_await process->output.async_read_some(asio::buffer(buffer), asio::redirect_error(web::use_task, failed));
      if (failed) break;
      process->kept.append(buffer, 0, got);
      total += got;
      if (process->kept.size() > max_kept_output + piece_bytes) {
        const auto surplus = process->kept.size() - max_kept_output;
        process->kept.erase(0, surplus);
        process->before += std::int64_t(surplus);
      }
      if (total > max_output) kill(*process, "It wrote more than " + std::to_string(max_output >> 20) + " MB.");
      process->wake();
    }
    finish(*process);
  }

  Task<> follow_program(ProcessPtr process, Stream& stream, const std::function<void(std::string_view)>& take) {
    std::string buffer(16u << 10, '\0');
    for (;;) {
      if (process->follower->ready) co_await process->follower->ready();
      boost::system::error_code failed;
      const auto got =
          co_await stream.async_read_some(asio::buffer(buffer), asio::redirect_error(web::use_task, failed));
      if (failed) break;
      take(std::string_view(buffer).substr(0, got));
    }
    boost::system::error_code ignored;
    if (stream.is_open()) stream.close(ignored);
    finish(*process);
  }

  Task<> follow_end(ProcessPtr process) {
    boost::system::error_code failed;
    co_await process->ended.async_wait(Stream::wait_read, asio::redirect_error(web::use_task, failed));
    const auto collect = [this, &process] { return launcher.collect(process->running, process->agent); };
    process->exit_code = co_await web::offload(*starter, collect);
    process->has_exited = true;
    process->network.reset();
    // All that could write has ended with it: what is left is in the pipe.
    co_await until_read(process);
    boost::system::error_code ignored;
    for (auto* stream : {&process->output, &process->error, &process->input}) stream->close(ignored);
    finish(*process);
  }

  // Until its output is complete, but not much longer.
  static Task<> until_read(ProcessPtr process) {
    const auto end = Clock::now() + last_output_time;
    while ((process->output.is_open() || process->error.is_open()) && Clock::now() < end)
      co_await web::sleep_for(std::chrono::milliseconds(2));
  }

  void finish(Process& process) {
    boost::system::error_code ignored;
    if (process.output.is_open() && !process.follower) process.output.close(ignored);
    if (!process.has_exited || process.is_over) return process.wake();
    if (process.output.is_open() || process.error.is_open()) return;
    process.is_over = true;
    if (process.follower) process.follower->ended(process.exit_code, process.ended_because);
    process.over_at = Clock::now();
    process.wake();
    trim_old(process.agent);
  }

  void feed(const ProcessPtr& process) {
    if (process->is_writing || process->has_closed_input) return;
    if (process->unwritten.empty()) {
      if (process->closes_input) close_input(*process);
      return;
    }
    process->is_writing = true;
    spawn(write_input(process));
  }

  static void close_input(Process& process) {
    boost::system::error_code ignored;
    process.has_closed_input = true;
    process.input.close(ignored);
  }

  Task<> write_input(ProcessPtr process) {
    while (!process->unwritten.empty()) {
      const auto part = std::exchange(process->unwritten, std::string());
      boost::system::error_code failed;
      co_await asio::async_write(process->input, asio::buffer(part), asio::redirect_error(web::use_task, failed));
      if (failed) {
        process->unwritten.clear();
        process->closes_input = true;
      }
    }
    process->is_writing = false;
    if (process->closes_input && !process->has_closed_input) close_input(*process);
  }

  // While there are commands: their time, their memory, and the disk.
  Task<> watch() {
    is_watching = true;
    while (is_running()) {
      co_await web::sleep_for(watch_interval);
      std::vector<pid_t> roots;
      for (const auto& [id, process] : processes)
        if (!process->has_exited) roots.push_back(process->running.pid);
      const auto measure = [this, &roots] { return launcher.resident_bytes(roots); };
      const auto memory = co_await web::offload(*starter, measure);
      if (++rounds % rounds_between_counts == 0) co_await count_storage();
      const bool is_full = options.is_disk_full && options.is_disk_full();
      const auto now = Clock::now();
      std::map<std::string, std::uint64_t> of_agents;
      for (const auto& [id, process] : processes)
        if (const auto found = memory.find(process->running.pid); found != memory.end() && !process->has_exited)
          of_agents[process->agent] += found->second;
      for (const auto& [id, process] : processes) {
        if (process->has_exited) continue;
        if (!process->follower && now - process->began > process->order.time)
          kill(*process, "It took longer than " + std::to_string(process->order.time.count()) + " s.");
        else if (process->order.is_attended && now - process->asked > unattended_time)
          kill(*process, "Nobody waited for it any more.");
        else if (is_full)
          kill(*process, "The disk is full.");
        else if (limits.contains(process->agent) && of_agents[process->agent] > limits[process->agent])
          kill(*process, "It needed more memory than the agent's plan has.");
        else if (options.may_run && !options.may_run(process->agent))
          kill(*process, "The agent was stopped.");
      }
      std::erase_if(processes, [now](const auto& one) {
        const bool is_old = one.second->follower || now - one.second->over_at > ended_time;
        return one.second->is_over && is_old;
      });
    }
    is_watching = false;
  }
  Task<> count_storage() {
    std::set<std::string> agents;
    for (const auto& [id, process] : processes)
      if (!process->has_exited) agents.insert(process->agent);
    for (const auto& agent : agents) {
      const auto count = [this, &agent] { return options.over_storage && options.over_storage(agent); };
      if (!co_await web::offload(*starter, count)) continue;
      for (const auto& [id, process] : processes)
        if (process->agent == agent) kill(*process, "The agent's files take more than its plan has room for.");
    }
  }

  // The ended ones of an agent, the oldest first.
  std::vector<ProcessPtr> ended_of(const std::string& agent) const {
    std::vector<ProcessPtr> over;
    for (const auto& [id, process] : processes)
      if (process->agent == agent && process->is_over && !process->follower) over.push_back(process);
    std::ranges::sort(over, {}, [](const auto& one) { return one->over_at; });
    return over;
  }

  // Of the output that ended ones have, the newest part is kept of all, and the rest of the last ones.
  void trim_old(const std::string& agent) const {
    std::size_t bytes = 0;
    for (const auto& process : ended_of(agent)) bytes += process->kept.size();
    for (const auto& process : ended_of(agent)) {
      if (bytes <= max_ended_bytes) return;
      if (process->kept.size() <= least_ended_bytes) continue;
      const auto surplus = process->kept.size() - least_ended_bytes;
      process->kept.erase(0, surplus);
      process->kept.shrink_to_fit();
      process->before += std::int64_t(surplus);
      bytes -= surplus;
    }
  }

  void drop_old(const std::string& agent) {
    const auto over = ended_of(agent);
    for (std::size_t at = 0; at + max_kept_commands < over.size(); ++at) processes.erase(over[at]->id);
  }

  ProcessPtr find(const std::string& agent, const std::string& id) const {
    const auto found = processes.find(id);
    const bool is_its = found != processes.end() && found->second->agent == agent && !found->second->follower;
    return is_its ? found->second : nullptr;
  }

  static Output piece_of(Process& process, std::int64_t from) {
    Output piece{.text = {}, .exit_code = process.exit_code, .ended_because = process.ended_because};
    const auto end = process.before + std::int64_t(process.kept.size());
    const auto begin = std::clamp(from, process.before, end);
    piece.dropped = std::max<std::int64_t>(process.before - from, 0);
    auto bytes = process.kept.substr(std::size_t(begin - process.before), piece_bytes);
    const bool is_last = process.is_over && begin + std::int64_t(bytes.size()) == end;
    const auto taken = bytes.size();
    piece.text = take_utf8(bytes, is_last);
    piece.next = begin + std::int64_t(taken - bytes.size());
    piece.is_running = !(is_last && piece.next == end);
    piece.started_at = process.started_at;
    const auto until = process.is_over ? process.over_at : Clock::now();
    piece.duration = std::chrono::duration_cast<std::chrono::milliseconds>(until - process.began);
    return piece;
  }

  Task<Result<Output>> read(std::string agent, std::string id, std::int64_t from, std::chrono::milliseconds patience) {
    const auto process = find(agent, id);
    if (!process) co_return web::not_found("No such command");
    const auto deadline = Clock::now() + std::min(patience, longest_patience);
    for (;;) {
      process->asked = Clock::now();
      auto piece = piece_of(*process, from);
      if (!piece.text.empty() || !piece.is_running || Clock::now() >= deadline) co_return piece;
      boost::system::error_code woken;
      // Setting the time wakes all that wait. Only an earlier one is set, or they would wake each other without end.
      auto& changed = process->changed;
      if (deadline < changed.expiry() || changed.expiry() <= Clock::now()) changed.expires_at(deadline);
      co_await process->changed.async_wait(asio::redirect_error(web::use_task, woken));
    }
  }

  Task<Result<void>> write(std::string agent, std::string id, std::string text, bool is_last) {
    const auto process = find(agent, id);
    if (!process) co_return web::not_found("No such command");
    if (process->has_exited || process->closes_input)
      co_return web::conflict(process->has_exited ? "The command has ended." : "The command's input is closed.");
    if (process->unwritten.size() + text.size() > max_waiting_input)
      co_return web::Error{.kind = web::Kind::too_many, .message = "The command does not read its input."};
    process->unwritten += text;
    process->closes_input = is_last;
    feed(process);
    co_return Result<void>();
  }

  Task<Result<Output>> stop(std::string agent, std::string id) {
    const auto process = find(agent, id);
    if (!process) co_return web::not_found("No such command");
    if (!process->has_exited) launcher.signal(process->running, SIGTERM);
    const auto killed_at = Clock::now() + grace;
    while (!process->is_over) {
      if (Clock::now() >= killed_at) kill(*process, "It was stopped.");
      co_await web::sleep_for(std::chrono::milliseconds(10));
    }
    co_return piece_of(*process, process->before + std::int64_t(process->kept.size()));
  }

  Task<> forget(std::string agent) {
    for (const auto& [id, process] : processes)
      if (process->agent == agent) kill(*process, "The agent was removed.");
    std::erase_if(processes, [&](const auto& one) { return one.second->agent == agent && one.second->is_over; });
    limits.erase(agent);
    co_return;
  }

  Task<> stop_all() {
    is_stopping = true;
    for (const auto& [id, process] : processes) kill(*process, "The box was stopped.");
    while (coroutines > 0 || starting > 0) {
      boost::system::error_code woken;
      idle.expires_after(watch_interval);
      co_await idle.async_wait(asio::redirect_error(web::use_task, woken));
    }
  }
};

Commands::Commands(runtime::CommandStarter& launcher, asio::io_context& home, Options options)
    : state_(std::make_shared<State>(launcher, home, std::move(options))) {}

Commands::~Commands() = default;

Task<Result<std::string>> Commands::start(runtime::CommandSpec spec, Order order) {
  co_return co_await web::run_on(state_->home, state_->start(std::move(spec), std::move(order)));
}

Task<Result<std::string>> Commands::serve(runtime::CommandSpec spec, Order order, Follower follower) {
  order.is_attended = false;
  co_return co_await web::run_on(state_->home, state_->start(std::move(spec), std::move(order), std::move(follower)));
}

bool Commands::send(const std::string& program, std::string_view text) {
  const auto found = state_->processes.find(program);
  if (found == state_->processes.end()) return false;
  auto& process = *found->second;
  if (process.has_exited || process.closes_input || process.unwritten.size() + text.size() > max_waiting_input)
    return false;
  process.unwritten += text;
  state_->feed(found->second);
  return true;
}

void Commands::end(const std::string& program) {
  const auto found = state_->processes.find(program);
  if (found != state_->processes.end()) state_->kill(*found->second, "It is not needed any more.");
}

void Commands::resize(const std::string& program, runtime::TerminalSize size) {
  const auto found = state_->processes.find(program);
  if (found != state_->processes.end()) runtime::resize_terminal(found->second->output.native_handle(), size);
}

Task<Result<Output>> Commands::read(std::string agent, std::string id, std::int64_t from,
                                    std::chrono::milliseconds patience) {
  co_return co_await web::run_on(state_->home, state_->read(std::move(agent), std::move(id), from, patience));
}

Task<Result<void>> Commands::write(std::string agent, std::string id, std::string text, bool is_last) {
  co_return co_await web::run_on(state_->home,
                                 state_->write(std::move(agent), std::move(id), std::move(text), is_last));
}

Task<Result<Output>> Commands::stop(std::string agent, std::string id) {
  co_return co_await web::run_on(state_->home, state_->stop(std::move(agent), std::move(id)));
}

Task<std::vector<Summary>> Commands::summaries(std::string agent) {
  const auto look = [](std::shared_ptr<State> state, std::string of) -> Task<std::vector<Summary>> {
    std::vector<Summary> found;
    for (const auto& [id, process] : state->processes)
      if (process->agent == of && !process->follower)
        found.push_back({.id = id,
                         .agent = of,
                         .title = process->order.title(),
                         .started_at = process->started_at,
                         .is_running = !process->is_over,
                         .exit_code = process->exit_code});
    std::ranges::sort(found, {}, &Summary::started_at);
    co_return found;
  };
  co_return co_await web::run_on(state_->home, look(state_, std::move(agent)));
}

Task<> Commands::forget(std::string agent) { co_await web::run_on(state_->home, state_->forget(std::move(agent))); }

Task<> Commands::stop_all() { return state_->stop_all(); }

}  // namespace commands
