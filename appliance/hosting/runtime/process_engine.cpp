#include "appliance/hosting/runtime/process_engine.h"

#include <signal.h>
#include <sys/wait.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/json.hpp>
#include <cmath>
#include <map>
#include <shared_mutex>
#include <system_error>

#include "appliance/hosting/runtime/agent_user.h"
#include "appliance/hosting/runtime/folder_watch.h"
#include "appliance/hosting/runtime/proc.h"
#include "appliance/hosting/runtime/run_folder.h"
#include "appliance/hosting/runtime/spawn.h"
#include "web/log.h"
#include "web/run_on.h"

namespace runtime {
namespace {

namespace asio = boost::asio;
using Clock = std::chrono::system_clock;
using PidWatch = asio::posix::basic_stream_descriptor<web::Executor>;
using web::Result;
using web::Task;

constexpr std::size_t most_read_at_once = 256 * 1024;
constexpr std::chrono::milliseconds pause_between_looks{500};

// One process of an agent, alive or being buried.
struct Process {
  Process(asio::io_context& home, files::Descriptor pidfd, PidFile file)
      : watch(home.get_executor(), pidfd.release()), identity(std::move(file)) {}

  pid_t pid() const { return pid_t(identity.pid); }

  PidWatch watch;  // owns the pidfd: readable once the process has ended
  PidFile identity;
  std::uint64_t cpu_ticks = 0;  // at the last call of stats
  std::chrono::steady_clock::time_point cpu_read_at{};
};

// What is known of one agent. `process` is set while one runs; `exit_code` tells of the last one that ended.
struct Entry {
  bool starting = false;
  bool has_ended = false;
  std::shared_ptr<Process> process;
  std::optional<int> exit_code;
  std::vector<web::Timer*> waiting;  // cancelled when the process ends
};

struct Found {
  std::string id;
  files::Descriptor process;
  PidFile identity;
};

std::chrono::sys_time<std::chrono::milliseconds> time_of(std::int64_t milliseconds) {
  return std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(milliseconds));
}

std::int64_t milliseconds_now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch()).count();
}

// Reaps a child of ours; nothing when the process is another box's child, which init has reaped or will.
std::optional<int> reap(int pidfd) {
  siginfo_t info{};
  if (::waitid(P_PIDFD, id_t(pidfd), &info, WEXITED | WNOHANG) != 0 || info.si_pid == 0) return {};
  return info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
}

}  // namespace

struct ProcessEngine::Impl : std::enable_shared_from_this<Impl> {
  Impl(ProcessOptions chosen, asio::io_context& home_context, asio::thread_pool& file_pool)
      : options(std::move(chosen)), home(home_context), files(file_pool) {
    std::filesystem::create_directories(options.folder);
    options.folder = std::filesystem::canonical(options.folder);
    options.binary = std::filesystem::canonical(options.binary);
    users.emplace(options.binary, options.folder);
    if (!users->shared_because().empty())
      web::log::warning("agents_share_the_box_user", {{"reason", users->shared_because()},
                                                      {"advice", "use a data folder such as /var/lib/agentbox"}});
  }

  // Constant after construction; used from every thread.
  ProcessOptions options;
  std::optional<AgentUsers> users;
  asio::io_context& home;
  asio::thread_pool& files;
  std::function<void(std::string, std::optional<int>)> tell_exit;
  mutable std::shared_mutex rotating;  // unique: logs are rotated; shared: they are read
  // Used on `home` only.
  std::map<std::string, Entry> entries;
  bool watching_logs = false;

  RunFolder run_folder(const std::string& id) const { return RunFolder(options.folder / id); }

  std::vector<std::string> command(const std::string& id) const {
    return {options.binary.string(), "agent", "--boot", run_folder(id).boot_path().string()};
  }

  // The binary's own path may have changed since the process was started (an upgrade); the boot file names the agent.
  bool is_command_of(const std::string& id, const std::vector<std::string>& arguments) const {
    auto expected = command(id);
    return arguments.size() == expected.size() &&
           std::equal(arguments.begin() + 1, arguments.end(), expected.begin() + 1);
  }

  // ---- on `files`

  // Writes down which process the agent is. One that cannot be written down is ended: nobody would find it again.
  Found note(const AgentSpec& spec, Child child) const {
    auto stat = proc::stat(child.pid);  // it is ours to reap: there is one even if it has ended
    Found found{.id = spec.id,
                .process = std::move(child.process),
                .identity = {.pid = child.pid,
                             .start_ticks = stat ? stat->start_ticks : 0,
                             .boot_id = proc::boot_id(),
                             .started_at = milliseconds_now(),
                             .backend_url = spec.backend_url,
                             .summarizer_url = spec.summarizer_url}};
    try {
      run_folder(spec.id).write_pid(found.identity);
    } catch (const std::system_error&) {
      proc::kill_session(child.pid, found.identity.start_ticks);
      siginfo_t ignored{};
      ::waitid(P_PIDFD, id_t(found.process.get()), &ignored, WEXITED);
      throw;
    }
    return found;
  }

  Result<Found> launch(const AgentSpec& spec) const {
    auto folder = run_folder(spec.id);
    const auto user = users->of(spec.port);
    try {
      folder.create();
      std::filesystem::create_directories(spec.workspace);
      std::filesystem::permissions(spec.workspace, std::filesystem::perms::owner_all);
      if (user) proc::kill_user(*user);  // what outlived an agent that had the port before, and then its box
      if (user) give_workspace(spec.workspace, *user);
      const Boot boot{.agent_id = spec.id,
                      .name = spec.name,
                      .model = spec.model,
                      .listen = "127.0.0.1:" + std::to_string(spec.port),
                      .workspace = std::filesystem::absolute(spec.workspace).string(),
                      .gateway_token = spec.gateway_token,
                      .box_token = spec.box_token,
                      .backend_url = spec.backend_url,
                      .summarizer_url = spec.summarizer_url,
                      .conduct = spec.conduct};
      folder.write_boot(boost::json::serialize(boost::json::value_from(boot)), user);
      rotate_log(spec.id);
      auto log = folder.open_log();
      auto child =
          spawn({.binary = options.binary,
                 .arguments = command(spec.id),
                 .environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + boot.workspace, "LANG=C.UTF-8"},
                 .folder = boot.workspace,
                 .output = log.get(),
                 .user = user,
                 .hidden = user ? users->hidden() : std::filesystem::path(),
                 .visible = {options.folder / spec.id, options.binary},
                 .limits = spec.limits});
      if (!child) {
        folder.drop_boot();
        return child.error();
      }
      return note(spec, std::move(*child));
    } catch (const std::system_error& error) {
      return web::internal(std::string("The agent's files cannot be written: ") + error.what());
    }
  }

  std::vector<Found> find_running(const std::vector<std::string>& ids) const {
    std::vector<Found> found;
    std::map<std::string, std::string> unknown;  // boot path to id
    const auto boot_id = proc::boot_id();
    for (auto& id : ids) {
      auto folder = run_folder(id);
      auto noted = folder.read_pid();
      if (noted && noted->boot_id == boot_id) {
        auto process = proc::open_process(pid_t(noted->pid), noted->start_ticks);
        if (process && is_command_of(id, proc::arguments(pid_t(noted->pid)))) {
          found.push_back({.id = id, .process = std::move(process), .identity = *noted});
          continue;
        }
      }
      unknown.emplace(folder.boot_path().string(), id);
    }
    if (unknown.empty()) return found;
    // A box that died between starting an agent and noting it left a process without a pid file.
    proc::each_process([&](pid_t pid) {
      auto arguments = proc::arguments(pid);
      auto agent = arguments.size() == 4 ? unknown.find(arguments.back()) : unknown.end();
      if (agent == unknown.end() || !is_command_of(agent->second, arguments)) return;
      auto stat = proc::stat(pid);
      if (!stat || stat->state == 'Z' || stat->session != pid) return;
      auto process = proc::open_process(pid, stat->start_ticks);
      if (!process) return;
      PidFile identity{
          .pid = pid, .start_ticks = stat->start_ticks, .boot_id = boot_id, .started_at = milliseconds_now()};
      try {
        run_folder(agent->second).write_pid(identity);
      } catch (const std::system_error& error) {  // it runs all the same, and the next box finds it as this one did
        web::log::warning("agent_not_noted", {{"agent", agent->second}, {"error", std::string(error.what())}});
      }
      found.push_back({.id = agent->second, .process = std::move(process), .identity = std::move(identity)});
      unknown.erase(agent);
    });
    for (auto& [path, id] : unknown) {
      run_folder(id).drop_pid();
      run_folder(id).drop_boot();
    }
    return found;
  }

  // The session goes before the leader is reaped: until then its number cannot be given to anybody else. Then whoever
  // has left the session, where the agent has a user of its own.
  std::optional<int> bury(const std::string& id, Process& process) const {
    const auto user = proc::user_of(process.pid());
    proc::kill_session(process.pid(), process.identity.start_ticks);
    if (user && users->of(0)) proc::kill_user(*user);
    auto exit_code = reap(process.watch.native_handle());
    run_folder(id).drop_pid();
    run_folder(id).drop_boot();
    return exit_code;
  }

  // Whoever reads meanwhile would take the emptied log for the one before.
  void rotate_log(const std::string& id) const {
    const std::unique_lock lock(rotating);
    run_folder(id).log().rotate(options.log_bytes);
  }

  template <class Read>
  auto read_log(const std::string& id, Read read) const {
    const std::shared_lock lock(rotating);
    return read(run_folder(id).log());
  }

  void rotate(const std::vector<std::string>& ids) const {
    for (auto& id : ids) try {
        rotate_log(id);
      } catch (const std::exception& error) {
        web::log::warning("agent_log_not_rotated", {{"agent", id}, {"error", std::string(error.what())}});
      }
  }

  // ---- on `home`

  void watch(const std::string& id, std::shared_ptr<Process> process) {
    process->watch.async_wait(PidWatch::wait_read, [weak = weak_from_this(), id, process](auto error) {
      if (auto self = weak.lock(); self && !error)
        asio::co_spawn(self->home, self->ended(self, id, process), [](std::exception_ptr failure) {
          if (failure) std::rethrow_exception(failure);
        });
    });
  }

  Task<> ended(std::shared_ptr<Impl> self, std::string id, std::shared_ptr<Process> process) {
    auto work = [self, id, process] { return self->bury(id, *process); };
    auto exit_code = co_await web::offload(files, std::move(work));
    auto& entry = entries[id];
    entry.process.reset();
    entry.has_ended = true;
    entry.exit_code = exit_code;
    for (auto* timer : entry.waiting) timer->cancel();
    if (tell_exit) tell_exit(id, exit_code);
  }

  Task<> drop_boot_later(std::weak_ptr<Impl> weak, std::string id, std::weak_ptr<Process> process) {
    co_await web::sleep_for(options.boot_file_life);
    auto self = weak.lock();
    if (!self || process.expired()) co_return;
    auto work = [self, id] { self->run_folder(id).drop_boot(); };
    co_await web::offload(files, std::move(work));
  }

  void run(Found found) {
    auto id = found.id;
    auto process = std::make_shared<Process>(home, std::move(found.process), std::move(found.identity));
    auto& entry = entries[id];
    entry.process = process;
    entry.has_ended = false;
    entry.exit_code.reset();
    watch(id, process);
    asio::co_spawn(home, drop_boot_later(weak_from_this(), id, process), [](std::exception_ptr failure) {
      if (failure) std::rethrow_exception(failure);
    });
    keep_logs_small();
  }

  void keep_logs_small() {
    if (std::exchange(watching_logs, true)) return;
    asio::co_spawn(home, rotate_logs(weak_from_this(), options.log_check), [](std::exception_ptr failure) {
      if (failure) std::rethrow_exception(failure);
    });
  }

  static Task<> rotate_logs(std::weak_ptr<Impl> weak, std::chrono::milliseconds pause) {
    for (;;) {
      co_await web::sleep_for(pause);
      auto self = weak.lock();
      if (!self) co_return;
      std::vector<std::string> running;
      for (auto& [id, entry] : self->entries)
        if (entry.process) running.push_back(id);
      auto work = [self, running] { self->rotate(running); };
      co_await web::offload(self->files, std::move(work));
    }
  }

  // True when the process has ended within `patience`.
  Task<bool> ends_within(std::string id, std::chrono::steady_clock::duration patience) {
    if (!entries[id].process) co_return true;
    web::Timer timer(home.get_executor(), patience);
    auto& waiting = entries[id].waiting;
    waiting.push_back(&timer);
    boost::system::error_code cancelled_when_it_ends;
    co_await timer.async_wait(asio::redirect_error(web::use_task, cancelled_when_it_ends));
    std::erase(entries[id].waiting, &timer);
    co_return !entries[id].process;
  }

  // However the start ends: what launch() throws must not leave the agent `starting` for ever.
  class Starting {
   public:
    Starting(std::shared_ptr<Impl> impl, std::string id) : impl_(std::move(impl)), id_(std::move(id)) {
      impl_->entries[id_].starting = true;
    }
    Starting(const Starting&) = delete;
    Starting& operator=(const Starting&) = delete;
    ~Starting() { impl_->entries[id_].starting = false; }

   private:
    const std::shared_ptr<Impl> impl_;
    const std::string id_;
  };

  Task<Result<Instance>> start(AgentSpec spec) {
    auto& entry = entries[spec.id];
    if (entry.process || entry.starting) co_return web::conflict("The agent is running already.");
    const Starting starting(shared_from_this(), spec.id);
    auto self = shared_from_this();
    auto work = [self, spec] { return self->launch(spec); };
    auto found = co_await web::offload(files, std::move(work));
    if (!found) co_return found.error();
    run(std::move(*found));
    co_return instance(spec.id);
  }

  Task<Result<void>> stop(std::string id, std::chrono::seconds grace) {
    auto known = entries.find(id);
    if (known == entries.end()) {  // one of an earlier box, perhaps
      std::vector<std::string> unknown{id};
      co_await adopt(std::move(unknown));
      known = entries.find(id);
    }
    if (known == entries.end() || !known->second.process) co_return Result<void>();
    auto process = known->second.process;
    proc::send_signal(process->watch.native_handle(), SIGTERM);
    if (co_await ends_within(id, grace)) co_return Result<void>();
    auto self = shared_from_this();
    auto work = [self, process] { proc::kill_session(process->pid(), process->identity.start_ticks); };
    co_await web::offload(files, std::move(work));
    if (co_await ends_within(id, std::chrono::seconds(5))) co_return Result<void>();
    co_return web::internal("The agent's process " + std::to_string(process->pid()) + " does not end after SIGKILL.");
  }

  Instance instance(const std::string& id) const {
    auto known = entries.find(id);
    if (known == entries.end()) return {};
    auto& entry = known->second;
    if (entry.process)
      return {.state = State::running,
              .pid = entry.process->identity.pid,
              .started_at = time_of(entry.process->identity.started_at),
              .backend_url = entry.process->identity.backend_url,
              .summarizer_url = entry.process->identity.summarizer_url};
    if (entry.has_ended) return {.state = State::exited, .exit_code = entry.exit_code};
    return {};
  }

  Task<Result<Instance>> inspect(std::string id) { co_return instance(id); }

  Task<Result<InstanceStats>> stats(std::string id) {
    auto known = entries.find(id);
    auto process = known == entries.end() ? nullptr : known->second.process;
    auto stat = process ? proc::stat(process->pid()) : std::nullopt;
    if (!stat) co_return web::conflict("The agent is not running.");
    const auto now = std::chrono::steady_clock::now();
    const auto age = std::chrono::milliseconds(milliseconds_now() - process->identity.started_at);
    const bool is_first = process->cpu_read_at == std::chrono::steady_clock::time_point{};
    const std::chrono::duration<double> span =
        is_first ? std::chrono::duration<double>(age) : now - process->cpu_read_at;
    const double busy = double(stat->cpu_ticks - process->cpu_ticks) / double(proc::ticks_per_second());
    process->cpu_ticks = stat->cpu_ticks;
    process->cpu_read_at = now;
    co_return InstanceStats{.cpu_percent = span.count() > 0 ? 100 * busy / span.count() : 0,
                            .memory_bytes = stat->resident_bytes,
                            .uptime = std::chrono::duration_cast<std::chrono::seconds>(age)};
  }

  Task<Result<void>> follow_log(std::string id, std::string after, LogSink sink) {
    const auto self = shared_from_this();
    std::uint64_t position = parse_log_position(after).value_or(0);
    auto watch = FolderWatch::open(home, run_folder(id).path());
    for (;;) {
      auto work = [self, &id, &position] {
        return self->read_log(id, [&](const LogFile& log) { return log.read_on(position, most_read_at_once); });
      };
      auto lines = co_await web::offload(files, std::move(work));
      const bool is_at_end = lines.empty();
      if (!sink(std::move(lines))) co_return Result<void>();
      if (!is_at_end) continue;
      if (!watch) watch = FolderWatch::open(home, run_folder(id).path());
      if (watch) {
        co_await watch->changed();
      } else {  // it has never been started
        co_await web::sleep_for(pause_between_looks);
      }
    }
  }

  Task<std::vector<std::string>> adopt(std::vector<std::string> ids) {
    std::erase_if(ids, [&](auto& id) { return entries[id].process != nullptr || entries[id].starting; });
    auto self = shared_from_this();
    auto work = [self, ids] { return self->find_running(ids); };
    auto found = co_await web::offload(files, std::move(work));
    for (auto& one : found) run(std::move(one));
    std::vector<std::string> running;
    for (const auto& [id, entry] : entries)
      if (entry.process) running.push_back(id);
    co_return running;
  }

  Task<Result<void>> remove(std::string id) {
    if (auto known = entries.find(id); known != entries.end()) {
      if (known->second.process || known->second.starting)
        co_return web::conflict("The agent is running: stop it first.");
      entries.erase(known);
    }
    auto self = shared_from_this();
    auto work = [self, id]() -> std::string {
      try {
        self->run_folder(id).remove();
      } catch (const std::exception& error) {
        return error.what();
      }
      return {};
    };
    auto failure = co_await web::offload(files, std::move(work));
    if (!failure.empty()) co_return web::internal("The agent's run files cannot be removed: " + failure);
    co_return Result<void>();
  }
};

ProcessEngine::ProcessEngine(ProcessOptions options, asio::io_context& home, asio::thread_pool& files)
    : impl_(std::make_shared<Impl>(std::move(options), home, files)) {
  impl_->tell_exit = [this](std::string id, std::optional<int> exit_code) {
    if (on_exit) on_exit(std::move(id), exit_code);
  };
}

ProcessEngine::~ProcessEngine() { impl_->tell_exit = nullptr; }

// Each call hops to `home` and back to its caller's io_context.

Task<Result<Instance>> ProcessEngine::start(const AgentSpec& spec) {
  co_return co_await web::run_on(impl_->home, impl_->start(spec));
}

Task<Result<void>> ProcessEngine::stop(std::string id, std::chrono::seconds grace) {
  co_return co_await web::run_on(impl_->home, impl_->stop(std::move(id), grace));
}

Task<Result<Instance>> ProcessEngine::inspect(std::string id) {
  co_return co_await web::run_on(impl_->home, impl_->inspect(std::move(id)));
}

Task<Result<InstanceStats>> ProcessEngine::stats(std::string id) {
  co_return co_await web::run_on(impl_->home, impl_->stats(std::move(id)));
}

Task<Result<std::vector<std::string>>> ProcessEngine::logs(std::string id, std::size_t lines) {
  auto folder = impl_->run_folder(id);
  auto work = [folder, lines] { return folder.last_lines(lines); };
  co_return co_await web::offload(impl_->files, std::move(work));
}

Task<Result<LogPage>> ProcessEngine::read_log(std::string id, LogQuery query) {
  auto impl = impl_;
  auto work = [impl, id, query] { return impl->read_log(id, [&](const LogFile& log) { return log.read(query); }); };
  co_return co_await web::offload(impl->files, std::move(work));
}

Task<Result<std::string>> ProcessEngine::log_end(std::string id) {
  auto impl = impl_;
  auto work = [impl, id] { return impl->read_log(id, [](const LogFile& log) { return log.end(); }); };
  co_return log_position(co_await web::offload(impl->files, std::move(work)));
}

Task<Result<void>> ProcessEngine::follow_log(std::string id, std::string after, LogSink sink) {
  co_return co_await web::run_on(impl_->home, impl_->follow_log(std::move(id), std::move(after), std::move(sink)));
}

Task<Result<std::vector<std::string>>> ProcessEngine::adopt(std::vector<std::string> ids) {
  co_return co_await web::run_on(impl_->home, impl_->adopt(std::move(ids)));
}

Task<Result<void>> ProcessEngine::remove(std::string id) {
  co_return co_await web::run_on(impl_->home, impl_->remove(std::move(id)));
}

}  // namespace runtime
