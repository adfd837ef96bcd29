// Starts the commands of agents, in namespaces of their own (sandbox/command.h): as children of the box or of its
// helper, or in the agent's container for commands (docker/command_containers.h).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "appliance/foundation/descriptor.h"
#include "appliance/runtime/engine.h"
#include "sandbox/cgroup.h"
#include "sandbox/command.h"
#include "web/result.h"
#include "web/task.h"

namespace sandbox {
class SpawnHelper;
}

namespace runtime {

class AgentConfinement;
class CommandHelper;

struct TerminalSize {
  std::uint16_t columns = 80, rows = 24;
};

struct CommandSpec {
  std::string agent;
  std::uint16_t port = 0;           // of the agent's gateway, by which its user is chosen
  std::filesystem::path workspace;  // absolute: what it sees as /workspace
  ResourceLimits limits;
  // A browser's is the folder browser/ beside the agent's own.
  sandbox::CommandPlace place = sandbox::CommandPlace::workspace;
  std::string text;                      // what /bin/sh does
  bool has_own_error = false;            // see RunningCommand::error
  std::optional<TerminalSize> terminal;  // in the place of pipes
};

// A shell, and all that it starts.
struct RunningCommand {
  pid_t pid = 0;
  files::Descriptor process;                   // pidfd
  files::Descriptor input;                     // non-blocking; of a terminal the same as `output`, twice
  files::Descriptor output;                    // likewise; of both standard output and error
  files::Descriptor error;                     // likewise; of standard error alone, if the spec wants it
  files::Descriptor listening;                 // where its network's proxy is expected: 127.0.0.1:3128 there
  std::weak_ptr<sandbox::SpawnHelper> helper;  // of its container or of a service, if that has started it
};

// What starts commands and ends them. Thread-safe.
class CommandStarter {
 public:
  virtual ~CommandStarter() = default;
  // A sentence; empty: commands can be run.
  virtual std::string why_not() const = 0;
  // Before start(): makes what commands of the agent run in. Called on the box's home.
  virtual web::Task<web::Result<void>> prepare(CommandSpec) { co_return web::Result<void>(); }
  // Throws std::system_error whose text is to follow "could not". This and what follows blocks.
  virtual RunningCommand start(const CommandSpec&) const = 0;
  // SIGTERM to what the shell has started, or SIGKILL to all of it.
  virtual void signal(const RunningCommand&, int signal) const = 0;
  // Once it has ended: its exit code, or 128 and the signal; nullopt if it is not known.
  virtual std::optional<int> collect(const RunningCommand&, const std::string& agent,
                                     sandbox::CommandPlace = sandbox::CommandPlace::workspace) const = 0;
  // The memory of each of these commands, by its pid. Empty where the kernel bounds it by itself.
  virtual std::map<pid_t, std::uint64_t> resident_bytes(const std::vector<pid_t>& commands) const = 0;
};

// The folder that AGENT_TOOLS means; empty: off.
std::filesystem::path tools_folder(const std::string& setting);

// Of this machine: by the service for it, else by the helper of RUN_AS, else by the box. A command ends with the thread
// that starts it, or with the helper.
class CommandLauncher final : public CommandStarter {
 public:
  // `folder`: data/agents. `packages`: a folder that commands see, see sandbox::CommandPlan; it may be missing.
  CommandLauncher(std::filesystem::path binary, const std::filesystem::path& folder, std::filesystem::path tools,
                  std::filesystem::path packages, bool requires_strong, CommandHelper& service);
  ~CommandLauncher() override;

  std::string why_not() const override;
  // The tree that commands see.
  const std::filesystem::path& tools() const { return tools_; }
  // Makes a folder of the agent with this port, if it is missing. Throws std::system_error, too.
  void give_folder(const std::filesystem::path&, std::uint16_t port) const;

  RunningCommand start(const CommandSpec&) const override;
  void signal(const RunningCommand&, int signal) const override;
  std::optional<int> collect(const RunningCommand&, const std::string& agent,
                             sandbox::CommandPlace = sandbox::CommandPlace::workspace) const override;
  std::map<pid_t, std::uint64_t> resident_bytes(const std::vector<pid_t>& commands) const override;

 private:
  std::string why_not_by_the_box() const;
  std::shared_ptr<sandbox::SpawnHelper> starter_of(const RunningCommand&) const;

  const std::filesystem::path tools_, packages_;
  const bool requires_strong_;
  CommandHelper& service_;
  const std::unique_ptr<const AgentConfinement> confinement_;
};

// The memory of each of these processes with all of its descendants, without what they share being told apart.
std::map<pid_t, std::uint64_t> resident_bytes_below(const std::vector<pid_t>& roots);

// Of a command with a terminal, whose programs get SIGWINCH.
void resize_terminal(int terminal, TerminalSize);

// Starts a command by a helper.
RunningCommand start_by_helper(sandbox::SpawnHelper&, const CommandSpec&, const sandbox::GroupLimits&);
// Of a status as of waitpid.
int command_exit_code(int status);

}  // namespace runtime
