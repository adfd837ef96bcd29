// Starts the commands of agents: children of the box or of its helper, in namespaces of their own (sandbox/command.h).
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
#include "sandbox/command.h"

namespace runtime {

class AgentConfinement;

struct CommandSpec {
  std::string agent;
  std::uint16_t port = 0;           // of the agent's gateway, by which its user is chosen
  std::filesystem::path workspace;  // absolute: what it sees as /workspace
  ResourceLimits limits;
  // A browser's is the folder browser/ beside the agent's own.
  sandbox::CommandPlace place = sandbox::CommandPlace::workspace;
  std::string text;            // what /bin/sh does
  bool has_own_error = false;  // see RunningCommand::error
};

// A shell, and all that it starts.
struct RunningCommand {
  pid_t pid = 0;
  files::Descriptor process;    // pidfd
  files::Descriptor input;      // non-blocking
  files::Descriptor output;     // likewise; of both standard output and error
  files::Descriptor error;      // likewise; of standard error alone, if the spec wants it
  files::Descriptor listening;  // where its network's proxy is expected: 127.0.0.1:3128 there
};

// The folder that AGENT_TOOLS means; empty: off.
std::filesystem::path tools_folder(const std::string& setting);

// Thread-safe. Everything blocks.
class CommandLauncher {
 public:
  // `folder`: data/agents. `packages`: a folder that commands see, see sandbox::CommandPlan; it may be missing.
  CommandLauncher(std::filesystem::path binary, const std::filesystem::path& folder, std::filesystem::path tools,
                  std::filesystem::path packages, bool requires_strong);
  ~CommandLauncher();

  // A sentence; empty: commands can be run.
  std::string why_not() const;
  // The tree that commands see.
  const std::filesystem::path& tools() const { return tools_; }
  // Makes a folder of the agent with this port, if it is missing. Throws std::system_error, too.
  void give_folder(const std::filesystem::path&, std::uint16_t port) const;

  // The command ends with the thread that starts it, or with the helper. Throws std::system_error whose text is to
  // follow "could not".
  RunningCommand start(const CommandSpec&) const;
  // SIGTERM to what the shell has started, or SIGKILL to all of it.
  void signal(const RunningCommand&, int signal) const;
  // Once it has ended: its exit code, or 128 and the signal; nullopt if it is not known.
  std::optional<int> collect(const RunningCommand&, const std::string& agent,
                             sandbox::CommandPlace = sandbox::CommandPlace::workspace) const;

 private:
  const std::filesystem::path tools_, packages_;
  const bool requires_strong_;
  const std::unique_ptr<const AgentConfinement> confinement_;
};

// The memory of each of these processes with all of its descendants, without what they share being told apart.
std::map<pid_t, std::uint64_t> resident_bytes_below(const std::vector<pid_t>& roots);

}  // namespace runtime
