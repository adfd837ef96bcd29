// Starts a program as a confined process. Everything the box runs is started here: agents, the summarizer, and programs
// of other projects.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sandbox/system_calls.h"
#include "sandbox/tree.h"

namespace sandbox {

// What is started, and with which descriptors. It gets no others.
struct Program {
  std::filesystem::path binary;
  std::vector<std::string> arguments;       // with argv[0]
  std::vector<std::string> environment;     // NAME=value; complete
  std::filesystem::path folder;             // working directory; empty: the root directory
  int output = -1, error = -1, input = -1;  // -1: /dev/null
  std::vector<int> inherited;               // as descriptors 3, 4, ...
};

struct Limits {
  std::uint64_t memory_bytes = 0;  // of address space; 0: unlimited. Not under sanitizers, which map terabytes
  std::uint64_t data_bytes = 0;    // that it may write to, of each of its processes; likewise
  std::uint64_t file_bytes = 0;    // of each file; 0: unlimited
  std::uint64_t open_files = 512;
  std::uint64_t processes = 0;             // of its user; 0: unlimited. Only with a user or namespaces of its own
  std::chrono::seconds processor_time{0};  // 0: unlimited
  int niceness = 0;                        // above the box's
  int oom_score = 0;                       // above 0: killed before the box when memory runs out
};

// Detached mounts (fsmount, open_tree) that a program sees instead of a hidden folder.
struct View {
  struct Part {
    int mount = -1;
    std::string path;  // below `root`, where it has a place
  };
  int root = -1;
  std::vector<Part> parts;  // the program begins in the first
};

// Mount and process namespaces of its own (and, where the kernel has them, of System V IPC and of control groups'
// names), and a user namespace unless this process is root.
struct Namespaces {
  // A folder in which the program sees nothing but `visible`.
  std::filesystem::path hidden;
  std::vector<std::filesystem::path> visible;
  std::optional<View> view{};           // instead of `visible`; only as root
  std::optional<Tree> tree{};           // instead of all of them; needs Kernel::own_processes
  std::optional<OwnNetwork> network{};  // nullopt: that of this process
};

// By Landlock, on top of files that every program needs (system_files.h). The program's own binary can be executed.
struct Files {
  std::vector<std::filesystem::path> readable, changeable;
};

struct TcpPorts {
  std::vector<std::uint16_t> connect, bind;
};

struct Confinement {
  // User and group to become, without other groups and capabilities. Ignored unless this process is root.
  std::optional<uid_t> user;
  std::optional<Namespaces> namespaces;  // kernel().namespaces must be true
  std::optional<Files> files;            // ignored where the kernel has no Landlock that renames
  std::optional<TcpPorts> tcp;           // likewise; needs `files`. nullopt: any
  std::optional<SystemCalls> calls;      // nullopt: the program filters itself
  Limits limits;
  bool ends_with_parent = false;  // SIGKILL when the thread that started it ends
  int cgroup = -1;                // opened cgroup.procs of the group to join
};

struct Started {
  pid_t pid = 0;
  int process = -1;    // pidfd; the caller closes it
  int listening = -1;  // of OwnNetwork; likewise
};

// Returns once the program runs. It has a session of its own, default signal handling, umask 077, no new privileges and
// no core dumps. Throws std::system_error whose text is the step that failed, to follow "could not". Blocks for about a
// millisecond; thread-safe.
Started start(const Program&, const Confinement&);

// What the running kernel, and a container around this process, permit. Tried once, by starting a process.
struct Kernel {
  bool namespaces = false;     // as of Namespaces
  bool own_processes = false;  // with these, /proc shows the program's own processes only
  bool own_network = false;    // as of OwnNetwork
  int landlock = 0;            // as of landlock_version()
};
const Kernel& kernel();

}  // namespace sandbox
