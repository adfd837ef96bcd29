#include "appliance/runtime/process_launcher.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <boost/json.hpp>
#include <chrono>
#include <map>
#include <system_error>

#include "appliance/runtime/agent_files.h"
#include "appliance/runtime/proc.h"
#include "store/clock.h"
#include "web/log.h"
#include "web/routes/reply.h"
#include "web/server/listening_socket.h"

namespace runtime {

namespace {

std::int64_t milliseconds_now() { return store::now().time_since_epoch().count(); }

constexpr int end_patience_ms = 5'000;
constexpr int gateway_descriptor = 3;  // the first that a program inherits (sandbox::Program)

struct NotStarted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The helper, if it started the process; those that an earlier box left are the box's own to signal.
sandbox::SpawnHelper* helper_of(pid_t pid) {
  auto* helper = sandbox::helper_of_this_process().helper.get();
  return helper && helper->has_started(pid) ? helper : nullptr;
}

web::ListeningSocket listening_socket(const std::string& listen) {
  try {
    return web::ListeningSocket(listen);
  } catch (const std::runtime_error& error) {
    throw NotStarted(std::string("The agent's gateway cannot be opened: ") + error.what() + ".");
  }
}

// A helper that has ended took the agent along.
void signal_by(sandbox::SpawnHelper& helper, pid_t pid, int signal) {
  try {
    helper.signal(pid, signal);
  } catch (const std::system_error& error) {
    web::log::warning("agent_not_signalled", {{"pid", std::int64_t(pid)}, {"reason", std::string(error.what())}});
  }
}

// As of waitpid, in the shell's way.
int exit_code_of(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

// Reaps a child process. nullopt for a process started by an earlier process of the box, which init reaps.
std::optional<int> reap(int pidfd) {
  siginfo_t info{};
  if (::waitid(P_PIDFD, id_t(pidfd), &info, WEXITED | WNOHANG) != 0 || info.si_pid == 0) return {};
  return info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
}

}  // namespace

ProcessLauncher::ProcessLauncher(ProcessOptions options) : options_(std::move(options)) {
  std::filesystem::create_directories(options_.folder);
  options_.folder = std::filesystem::canonical(options_.folder);
  options_.binary = std::filesystem::canonical(options_.binary);
  confinement_.emplace(options_.binary, options_.folder);
}

std::vector<std::string> ProcessLauncher::command(const std::string& id) const {
  return {options_.binary.string(), "agent", "--boot", run_folder(id).boot_path().string()};
}

// Ignores the path of the binary, which may have changed by an upgrade; the boot file identifies the agent.
bool ProcessLauncher::is_command_of(const std::string& id, const std::vector<std::string>& arguments) const {
  auto expected = command(id);
  return arguments.size() == expected.size() &&
         std::equal(arguments.begin() + 1, arguments.end(), expected.begin() + 1);
}

// Writes the pid file. If that fails, kills the process, which could not be found again.
RunningProcess ProcessLauncher::record(const AgentSpec& spec, const sandbox::Started& child) const {
  auto stat = proc::stat(child.pid);  // exists until it is reaped, even if it has ended
  RunningProcess found{.id = spec.id,
                       .process = files::Descriptor(child.process),
                       .identity = {.pid = child.pid,
                                    .start_ticks = stat ? stat->start_ticks : 0,
                                    .boot_id = proc::boot_id(),
                                    .started_at = milliseconds_now(),
                                    .backend_url = spec.backend_url,
                                    .summarizer_url = spec.summarizer_url}};
  try {
    run_folder(spec.id).write_pid(found.identity);
  } catch (const std::system_error&) {
    kill(found.identity);
    pollfd end{.fd = found.process.get(), .events = POLLIN, .revents = 0};
    ::poll(&end, 1, end_patience_ms);
    collect(found.process.get(), found.identity);
    throw;
  }
  return found;
}

web::Result<RunningProcess> ProcessLauncher::launch(const AgentSpec& spec) const {
  if (options_.requires_isolation && isolation().level == IsolationLevel::none)
    return web::unavailable("ISOLATION is required, and this box cannot keep agents apart (" + to_string(isolation()) +
                            "): run it as root, on Linux 5.19 or later, or with Docker.");
  auto folder = run_folder(spec.id);
  const auto user = confinement_->users().of(spec.port);
  try {
    if (user) proc::kill_user(*user);  // left-overs of an earlier agent with the same port
    auto boot = boot_of(spec, {.listen = "127.0.0.1:" + std::to_string(spec.port),
                               .workspace = std::filesystem::absolute(spec.workspace).string(),
                               .backend_url = spec.backend_url,
                               .summarizer_url = spec.summarizer_url});
    boot.listening_socket = gateway_descriptor;
    auto gateway = listening_socket(boot.listen);
    prepare_files(folder, spec, boot, user);
    rotate_log(spec.id);
    const auto log = folder.open_log();
    const sandbox::Program program{
        .binary = options_.binary,
        .arguments = command(spec.id),
        .environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + boot.workspace, "LANG=C.UTF-8"},
        .folder = boot.workspace,
        .output = log.get(),
        .error = log.get(),
        .inherited = {gateway.descriptor()}};
    return record(spec, started(program, spec));
  } catch (const NotStarted& error) {
    folder.drop_boot();
    return web::internal(error.what());
  } catch (const std::system_error& error) {
    return files_not_written(error);
  }
}

sandbox::Started ProcessLauncher::started(const sandbox::Program& program, const AgentSpec& spec) const {
  try {
    if (const auto& helper = sandbox::helper_of_this_process().helper) {
      auto order = confinement_->order(spec);
      order.output = program.output;
      order.gateway = program.inherited.front();
      return helper->start(order);
    }
    const auto group = confinement_->join_group(spec.id, spec.limits);
    auto place = confinement_->of(spec, run_folder(spec.id).boot_path());
    place.cgroup = group.get();
    return sandbox::start(program, place);
  } catch (const std::system_error& error) {
    throw NotStarted(std::string("The agent's process could not ") + error.what() + ".");
  }
}

std::optional<RunningProcess> ProcessLauncher::recorded_process(const std::string& id,
                                                                const std::string& boot_id) const {
  const auto recorded = run_folder(id).read_pid();
  if (!recorded || recorded->boot_id != boot_id) return std::nullopt;
  auto process = proc::open_process(pid_t(recorded->pid), recorded->start_ticks);
  if (!process) return std::nullopt;
  if (!is_command_of(id, proc::arguments(pid_t(recorded->pid)))) {
    // It is ending, or has overwritten its arguments to be forgotten.
    proc::kill_session(pid_t(recorded->pid), recorded->start_ticks);
    return std::nullopt;
  }
  return RunningProcess{.id = id, .process = std::move(process), .identity = *recorded};
}

// If the box dies between starting an agent and writing its pid file, the process is found by its arguments. Removes
// the found agents from the map.
std::vector<RunningProcess> ProcessLauncher::find_unrecorded(
    std::map<std::string, std::string>& ids_by_boot_path) const {
  std::vector<RunningProcess> found;
  const auto boot_id = proc::boot_id();
  proc::each_process([&](pid_t pid) {
    const auto arguments = proc::arguments(pid);
    const auto agent = arguments.size() == 4 ? ids_by_boot_path.find(arguments.back()) : ids_by_boot_path.end();
    if (agent == ids_by_boot_path.end() || !is_command_of(agent->second, arguments)) return;
    const auto stat = proc::stat(pid);
    if (!stat || stat->state == 'Z' || stat->session != pid) return;
    auto process = proc::open_process(pid, stat->start_ticks);
    if (!process) return;
    PidFile identity{
        .pid = pid, .start_ticks = stat->start_ticks, .boot_id = boot_id, .started_at = milliseconds_now()};
    try {
      run_folder(agent->second).write_pid(identity);
    } catch (const std::system_error& error) {  // the next start of the box finds it in the same way
      web::log::warning("agent_not_noted", {{"agent", agent->second}, {"error", std::string(error.what())}});
    }
    found.push_back({.id = agent->second, .process = std::move(process), .identity = std::move(identity)});
    ids_by_boot_path.erase(agent);
  });
  return found;
}

std::vector<RunningProcess> ProcessLauncher::find_running(const std::vector<std::string>& ids) const {
  std::vector<RunningProcess> found;
  std::map<std::string, std::string> others;  // boot path to id
  const auto boot_id = proc::boot_id();
  for (const auto& id : ids) {
    if (auto process = recorded_process(id, boot_id))
      found.push_back(std::move(*process));
    else
      others.emplace(run_folder(id).boot_path().string(), id);
  }
  if (others.empty()) return found;
  for (auto& process : find_unrecorded(others)) found.push_back(std::move(process));
  for (const auto& [path, id] : others) {
    run_folder(id).drop_pid();
    run_folder(id).drop_boot();
  }
  return found;
}

// The session is killed before its leader is reaped, since its number cannot be reused until then. Processes that have
// left the session are killed by user, if the agent has its own.
std::optional<int> ProcessLauncher::clean_up(const std::string& id, int pidfd, const PidFile& identity) const {
  const auto user = proc::user_of(pid_t(identity.pid));
  kill(identity);
  if (user && confinement_->users().of(0)) proc::kill_user(*user);
  const auto exit_code = collect(pidfd, identity);
  confinement_->remove_group(id);
  run_folder(id).drop_pid();
  run_folder(id).drop_boot();
  log_end(id, exit_code);
  return exit_code;
}

void ProcessLauncher::terminate(int pidfd, const PidFile& identity) const {
  if (auto* helper = helper_of(pid_t(identity.pid)))
    signal_by(*helper, pid_t(identity.pid), SIGTERM);
  else
    proc::send_signal(pidfd, SIGTERM);
}

// All that an agent of the helper starts is in its process namespace and ends with it.
void ProcessLauncher::kill(const PidFile& identity) const {
  if (auto* helper = helper_of(pid_t(identity.pid)))
    signal_by(*helper, pid_t(identity.pid), SIGKILL);
  else
    proc::kill_session(pid_t(identity.pid), identity.start_ticks);
}

std::optional<int> ProcessLauncher::collect(int pidfd, const PidFile& identity) const {
  auto* helper = helper_of(pid_t(identity.pid));
  if (!helper) return reap(pidfd);
  try {
    return exit_code_of(helper->collect(pid_t(identity.pid)));
  } catch (const std::system_error&) {  // the helper has ended, and init reaps
    return std::nullopt;
  }
}

void ProcessLauncher::log_end(const std::string& id, std::optional<int> exit_code) const {
  if (exit_code && *exit_code <= 128) return;
  const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  boost::json::object line{{"time", web::iso8601(now)}, {"level", "error"}, {"event", "agent_process_ended"}};
  if (exit_code)
    line["signal"] = *exit_code - 128;
  else
    line["reason"] = "not known";
  try {
    with_log(id, [&](const LogFile& log) { log.append(boost::json::serialize(line)); });
  } catch (const std::exception& error) {
    web::log::warning("agent_log_not_written", {{"agent", id}, {"error", std::string(error.what())}});
  }
}

// Excludes readers, which would mistake the emptied log for the previous one.
void ProcessLauncher::rotate_log(const std::string& id) const {
  const std::unique_lock lock(rotating_);
  run_folder(id).log().rotate(options_.log_bytes);
}

void ProcessLauncher::rotate_logs(const std::vector<std::string>& ids) const {
  for (const auto& id : ids) try {
      rotate_log(id);
    } catch (const std::exception& error) {
      web::log::warning("agent_log_not_rotated", {{"agent", id}, {"error", std::string(error.what())}});
    }
}

}  // namespace runtime
