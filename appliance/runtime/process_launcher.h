// The blocking part of the process engine: starts agents, finds those that run, cleans up after them.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "appliance/foundation/descriptor.h"
#include "appliance/runtime/agent_confinement.h"
#include "appliance/runtime/process_engine.h"
#include "appliance/runtime/run_folder.h"

namespace runtime {

struct RunningProcess {
  std::string id;
  files::Descriptor process;  // pidfd
  PidFile identity;
};

// Thread-safe. Everything blocks.
class ProcessLauncher {
 public:
  explicit ProcessLauncher(ProcessOptions);

  Isolation isolation() const { return confinement_->isolation(); }
  RunFolder run_folder(const std::string& id) const { return RunFolder(options_.folder / id); }

  web::Result<RunningProcess> launch(const AgentSpec&) const;
  // Those of `ids` that run. Removes the pid and boot files of the others.
  std::vector<RunningProcess> find_running(const std::vector<std::string>& ids) const;
  // SIGTERM to the agent, or SIGKILL to it and all that it has started.
  void terminate(int pidfd, const PidFile&) const;
  void kill(const PidFile&) const;
  // After the end of the agent's process: kills what is left of its session, reaps it and removes its pid and boot
  // files. Returns its exit code; nullopt for a process started by an earlier process of the box.
  std::optional<int> clean_up(const std::string& id, int pidfd, const PidFile& identity) const;

  void rotate_logs(const std::vector<std::string>& ids) const;
  // Calls `read` with the agent's LogFile, which is not rotated meanwhile.
  template <class Read>
  auto with_log(const std::string& id, Read read) const {
    const std::shared_lock lock(rotating_);
    return read(run_folder(id).log());
  }

 private:
  std::vector<std::string> command(const std::string& id) const;
  bool is_command_of(const std::string& id, const std::vector<std::string>& arguments) const;
  sandbox::Started started(const sandbox::Program&, const AgentSpec&) const;
  RunningProcess record(const AgentSpec&, const sandbox::Started&) const;
  std::optional<RunningProcess> recorded_process(const std::string& id, const std::string& boot_id) const;
  std::vector<RunningProcess> find_unrecorded(std::map<std::string, std::string>& ids_by_boot_path) const;
  // Reaps the ended process: its exit code, if it is known.
  std::optional<int> collect(int pidfd, const PidFile&) const;
  void rotate_log(const std::string& id) const;
  // The agent's log says which signal has ended its process. A program that exits says itself why.
  void log_end(const std::string& id, std::optional<int> exit_code) const;

  ProcessOptions options_;
  std::optional<AgentConfinement> confinement_;
  mutable std::shared_mutex rotating_;  // exclusive: logs are rotated; shared: they are read
};

}  // namespace runtime
