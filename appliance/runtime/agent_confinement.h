// How an agent's process is confined, with what the box's user and the kernel permit.
#pragma once

#include <filesystem>
#include <optional>

#include "appliance/foundation/descriptor.h"
#include "appliance/runtime/agent_user.h"
#include "appliance/runtime/engine.h"
#include "appliance/runtime/isolation.h"
#include "sandbox/cgroup.h"
#include "sandbox/spawn_helper.h"
#include "sandbox/start.h"

namespace runtime {

// What holds on this kernel. `why_no_users`: why agents have no users of their own; empty if they have. With a helper
// they have a view of their own whatever the box itself may do.
Isolation isolation_here(const std::string& why_no_users, bool has_control_groups, bool has_helper = false);

class AgentConfinement {
 public:
  // `folder`: data/agents. For what it changes there see AgentUsers.
  AgentConfinement(std::filesystem::path binary, std::filesystem::path folder);

  const AgentUsers& users() const { return users_; }
  Isolation isolation() const;

  // The agent reads its boot file, changes its workspace, connects to the box, and neither binds nor listens:
  // it is given its listening socket. It starts no processes.
  sandbox::Confinement of(const AgentSpec&, const std::filesystem::path& boot_file) const;
  // The same for the helper, which is there (helper_of_this_process).
  sandbox::AgentStart order(const AgentSpec&) const;
  // Descriptor for Confinement::cgroup, where this box may divide its control group. Throws std::system_error.
  files::Descriptor join_group(const std::string& name, const ResourceLimits&) const;
  static sandbox::GroupLimits group_limits(const ResourceLimits&);
  // After the processes in it have ended.
  void remove_group(const std::string& name) const;

 private:
  const std::filesystem::path binary_, folder_;
  const AgentUsers users_;
  const std::optional<sandbox::Cgroups> groups_ = sandbox::Cgroups::take();
};

}  // namespace runtime
