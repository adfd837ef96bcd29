// The child process of start(), from its creation until it executes the program.
#pragma once

#include <linux/filter.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <span>
#include <string>
#include <vector>

#include "sandbox/tree.h"

namespace sandbox {

// The child's own descriptors begin here; what is prepared for it is at or above the second number.
inline constexpr int first_inherited = 3, above_all = 64;
// The descriptors after the inherited ones: report, landlock, cgroup, network, and the detached mounts.
inline constexpr int first_attached_after_report = 4;

// The child shares this process's memory until it executes the program: it only makes system calls on what is prepared
// here and allocates nothing. Sanitizers keep books on the stack that they would find wrong afterwards.
#define IN_THE_CHILD __attribute__((no_sanitize("address", "undefined", "thread")))

struct Failure {
  const char* step = nullptr;
  int error = 0;
};

// A folder or file that stays visible below the hidden folder.
struct Visible {
  std::string path;
  std::vector<std::string> parents;  // below the hidden folder, outermost first
  bool is_folder = false;
  std::string source;  // itself by the descriptor the child opens it at, for when its path is covered
};

// A detached mount, and where it is attached: the first at the hidden folder, the others at paths below it.
struct Attached {
  int mount = -1;  // above_all
  const char* path = nullptr;
};

struct Limit {
  __rlimit_resource resource;
  rlimit value;
};

struct Prepared {
  const char* binary = nullptr;
  char* const* arguments = nullptr;
  char* const* environment = nullptr;
  const char* folder = nullptr;
  int input = -1, output = -1, error = -1, report = -1, landlock = -1, cgroup = -1;  // all above_all
  std::span<const int> inherited;                                                    // likewise
  bool has_namespaces = false, has_own_user_namespace = false, mounts_proc = false;
  const char* user_map = nullptr;
  const char* group_map = nullptr;
  const char* hidden = nullptr;  // null: nothing is
  std::span<const Visible> visible;
  std::span<const Attached> attached;  // instead of `visible`
  const PreparedTree* tree = nullptr;  // instead of `hidden`; `attached` are its detached mounts
  std::uint16_t network_port = 0;      // 0: no network of its own
  int network_channel = -1;            // above_all
  bool changes_user = false;
  uid_t user = 0;
  std::span<const Limit> limits;
  int niceness = 0;
  const char* oom_score = nullptr;
  bool may_be_dumped_meanwhile = false;
  bool ends_with_parent = false;
  const sock_fprog* filter = nullptr;
};

// Runs as the body of clone_child; `prepared` is a Prepared.
int run_child(void* prepared);
// As vfork, with a stack and namespaces of its own. No handler of ours may run in the child while it shares our memory.
pid_t clone_child(int (*body)(void*), void* argument, int namespaces);

}  // namespace sandbox
