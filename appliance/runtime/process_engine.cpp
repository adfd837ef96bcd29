#include "appliance/runtime/process_engine.h"

#include <signal.h>
#include <sys/wait.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <cmath>
#include <map>

#include "appliance/runtime/agent_files.h"
#include "appliance/runtime/cpu_meter.h"
#include "appliance/runtime/folder_watch.h"
#include "appliance/runtime/proc.h"
#include "appliance/runtime/process_launcher.h"
#include "web/log.h"
#include "web/run_on.h"

namespace runtime {
namespace {

namespace asio = boost::asio;
using Clock = std::chrono::system_clock;
using PidWatch = asio::posix::basic_stream_descriptor<web::Executor>;
using web::Result;
using web::Task;

constexpr std::size_t max_read_at_once = 256 * 1024;
constexpr std::chrono::milliseconds poll_interval{500};

// A process of an agent, also while it is being cleaned up.
struct Process {
  Process(asio::io_context& home, files::Descriptor pidfd, PidFile file)
      : watch(home.get_executor(), pidfd.release()), identity(std::move(file)) {}

  pid_t pid() const { return pid_t(identity.pid); }

  PidWatch watch;  // owns the pidfd: readable once the process has ended
  PidFile identity;
  CpuMeter cpu;
};

// The state of one agent. `process` is set while it runs; `exit_code` is that of the last one that ended.
struct Entry {
  bool starting = false;
  bool has_ended = false;
  std::shared_ptr<Process> process;
  std::optional<int> exit_code;
  std::vector<web::Timer*> waiting;  // cancelled when the process ends
};

std::chrono::sys_time<std::chrono::milliseconds> time_of(std::int64_t milliseconds) {
  return std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(milliseconds));
}

}  // namespace

struct ProcessEngine::Impl : std::enable_shared_from_this<Impl> {
  Impl(ProcessOptions process_options, asio::io_context& home_context, asio::thread_pool& file_pool)
      : options(process_options),
        launcher(std::move(process_options)),
        home(home_context),
        files(file_pool),
        watches(home_context) {}

  // Constant after construction; used from every thread.
  const ProcessOptions options;
  const ProcessLauncher launcher;  // used on `files` only
  asio::io_context& home;
  asio::thread_pool& files;
  std::function<void(std::string, std::optional<int>)> report_exit;
  // Used on `home` only.
  std::map<std::string, Entry> entries;
  FolderWatches watches;
  bool is_rotating_logs = false;

  void watch(const std::string& id, std::shared_ptr<Process> process) {
    process->watch.async_wait(PidWatch::wait_read, [weak = weak_from_this(), id, process](auto error) {
      if (auto self = weak.lock(); self && !error)
        asio::co_spawn(self->home, self->ended(self, id, process), [](std::exception_ptr failure) {
          if (failure) std::rethrow_exception(failure);
        });
    });
  }

  Task<> ended(std::shared_ptr<Impl> self, std::string id, std::shared_ptr<Process> process) {
    auto work = [self, id, process] {
      return self->launcher.clean_up(id, process->watch.native_handle(), process->identity);
    };
    auto exit_code = co_await web::offload(files, std::move(work));
    auto& entry = entries[id];
    entry.process.reset();
    entry.has_ended = true;
    entry.exit_code = exit_code;
    for (auto* timer : entry.waiting) timer->cancel();
    if (report_exit) report_exit(id, exit_code);
  }

  Task<> drop_boot_later(std::weak_ptr<Impl> weak, std::string id, std::weak_ptr<Process> process) {
    co_await web::sleep_for(options.boot_file_life);
    auto self = weak.lock();
    if (!self || process.expired()) co_return;
    auto work = [self, id] { self->launcher.run_folder(id).drop_boot(); };
    co_await web::offload(files, std::move(work));
  }

  void run(RunningProcess found) {
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
    start_log_rotation();
  }

  void start_log_rotation() {
    if (std::exchange(is_rotating_logs, true)) return;
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
      auto work = [self, running] { self->launcher.rotate_logs(running); };
      co_await web::offload(self->files, std::move(work));
    }
  }

  // True if the process ends within `time`.
  Task<bool> ends_within(std::string id, std::chrono::steady_clock::duration time) {
    if (!entries[id].process) co_return true;
    web::Timer timer(home.get_executor(), time);
    auto& waiting = entries[id].waiting;
    waiting.push_back(&timer);
    boost::system::error_code cancelled_when_it_ends;
    co_await timer.async_wait(asio::redirect_error(web::use_task, cancelled_when_it_ends));
    std::erase(entries[id].waiting, &timer);
    co_return !entries[id].process;
  }

  // Resets `starting` even if launch() throws.
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
    auto work = [self, spec] { return self->launcher.launch(spec); };
    auto found = co_await web::offload(files, std::move(work));
    if (!found) co_return found.error();
    run(std::move(*found));
    co_return instance(spec.id);
  }

  Task<Result<void>> stop(std::string id, std::chrono::seconds grace) {
    auto known = entries.find(id);
    if (known == entries.end()) {  // it may have been started by an earlier process of the box
      std::vector<std::string> unknown{id};
      co_await adopt(std::move(unknown));
      known = entries.find(id);
    }
    if (known == entries.end() || !known->second.process) co_return Result<void>();
    auto process = known->second.process;
    auto self = shared_from_this();
    auto ask = [self, process] { self->launcher.terminate(process->watch.native_handle(), process->identity); };
    co_await web::offload(files, std::move(ask));
    if (co_await ends_within(id, grace)) co_return Result<void>();
    auto work = [self, process] { self->launcher.kill(process->identity); };
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
    const auto age =
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - time_of(process->identity.started_at));
    const CpuMeter::Duration used(double(stat->cpu_ticks) / double(proc::ticks_per_second()));
    co_return InstanceStats{.cpu_percent = process->cpu.percent(used, age),
                            .memory_bytes = stat->resident_bytes,
                            .uptime = std::chrono::duration_cast<std::chrono::seconds>(age)};
  }

  Task<Result<void>> follow_log(std::string id, std::string after, LogSink sink) {
    const auto self = shared_from_this();
    std::uint64_t position = parse_log_position(after).value_or(0);
    auto watch = watches.open(launcher.run_folder(id).path());
    for (;;) {
      auto work = [self, &id, &position] {
        return self->launcher.with_log(id, [&](const LogFile& log) { return log.read_on(position, max_read_at_once); });
      };
      auto lines = co_await web::offload(files, std::move(work));
      const bool is_at_end = lines.empty();
      if (!sink(std::move(lines))) co_return Result<void>();
      if (!is_at_end) continue;
      if (!watch) watch = watches.open(launcher.run_folder(id).path());
      if (watch) {
        co_await watch->changed();
      } else {  // never started, no folder yet
        co_await web::sleep_for(poll_interval);
      }
    }
  }

  Task<std::vector<std::string>> adopt(std::vector<std::string> ids) {
    std::erase_if(ids, [&](auto& id) { return entries[id].process != nullptr || entries[id].starting; });
    auto self = shared_from_this();
    auto work = [self, ids] { return self->launcher.find_running(ids); };
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
    co_return co_await remove_run_files(launcher.run_folder(id), files);
  }
};

ProcessEngine::ProcessEngine(ProcessOptions options, asio::io_context& home, asio::thread_pool& files)
    : impl_(std::make_shared<Impl>(std::move(options), home, files)) {
  impl_->report_exit = [this](std::string id, std::optional<int> exit_code) {
    if (on_exit) on_exit(std::move(id), exit_code);
  };
}

ProcessEngine::~ProcessEngine() { impl_->report_exit = nullptr; }

Isolation ProcessEngine::isolation() const { return impl_->launcher.isolation(); }

// Each call runs on `home` and returns to the caller's io_context.

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
  auto folder = impl_->launcher.run_folder(id);
  auto work = [folder, lines] { return folder.last_lines(lines); };
  co_return co_await web::offload(impl_->files, std::move(work));
}

Task<Result<LogPage>> ProcessEngine::read_log(std::string id, LogQuery query) {
  auto impl = impl_;
  auto work = [impl, id, query] {
    return impl->launcher.with_log(id, [&](const LogFile& log) { return log.read(query); });
  };
  co_return co_await web::offload(impl->files, std::move(work));
}

Task<Result<std::string>> ProcessEngine::log_end(std::string id) {
  auto impl = impl_;
  auto work = [impl, id] { return impl->launcher.with_log(id, [](const LogFile& log) { return log.end(); }); };
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
