// The system users of agents when the box runs as root.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace runtime {

// The first folder on the way to `path`, itself included, that others may not enter; empty when there is none.
std::filesystem::path closed_on_the_way(const std::filesystem::path& path);
// The first of a range of users that systemd's table of ids leaves unused: an agent's is the one of its port.
inline constexpr uid_t first_agent_user = 1'900'000'000;
// Whether this process's user namespace has that range.
bool has_agent_users();

class AgentUsers {
 public:
  // As root, makes the data folder (the parent of `folder`) accessible to others only for traversal, and its other
  // content, packages apart, inaccessible. Changes nothing if the box is not root.
  AgentUsers(const std::filesystem::path& binary, const std::filesystem::path& folder);

  // The user, and group of the same number, for the agent with this port: one for each agent, since no two have the
  // same port. first_agent_user + port; in a container whose ids end
  // before that, the port itself. nullopt: agents run as the box's own user.
  std::optional<uid_t> of(std::uint16_t port) const;
  // The outermost folder on the way to agents' files that others may not enter (a data folder in /root): it is hidden
  // from each agent except for its own files (SpawnPlan::hidden). Empty if there is none.
  const std::filesystem::path& hidden() const { return hidden_; }
  // Why agents of a root box share its user; empty when they do not, or when the box is not root.
  const std::string& shared_because() const { return shared_because_; }

 private:
  std::optional<uid_t> base_;
  std::filesystem::path hidden_;
  std::string shared_because_;
};

// Changes the owner of a workspace: the folder, and everything in it with the same previous owner. Does not follow
// links, and skips files with several hard links. Throws std::system_error.
void give_workspace(const std::filesystem::path& workspace, uid_t user);

}  // namespace runtime
