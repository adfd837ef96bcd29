// The service that starts agents' commands for a box without rights: `agentbox spawn`, which systemd starts when the
// box connects to its socket (image/debian/agentbox-commands.socket).
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

namespace sandbox {
class SpawnHelper;
}

namespace runtime {

// Connects when it is needed, and again when the service has ended, which ends the commands that it has started.
// Thread-safe.
class CommandHelper {
 public:
  struct Options {
    std::filesystem::path socket;            // empty: there is no such service
    std::filesystem::path agents, packages;  // of the data folder; made before the service opens them
    std::filesystem::path tools;             // that commands are to see (tools_folder)
  };
  explicit CommandHelper(Options);

  bool is_configured() const { return !options_.socket.empty(); }
  // Whether there is a socket now.
  bool is_there() const;
  bool is_connected() const;
  // Of one that is there: a sentence about the last attempt to connect; empty: it succeeded, or there was none yet.
  std::string why_not() const;
  // Throws std::system_error whose text is to follow "could not". Blocks until the service has answered.
  std::shared_ptr<sandbox::SpawnHelper> reach();

 private:
  std::shared_ptr<sandbox::SpawnHelper> made() const;

  const Options options_;
  std::mutex connecting_;     // one at a time; held when `helper_` changes
  mutable std::mutex mutex_;  // protects what follows
  std::shared_ptr<sandbox::SpawnHelper> helper_;
  std::string failure_;
};

}  // namespace runtime
