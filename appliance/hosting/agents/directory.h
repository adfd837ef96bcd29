// Finds agents: by owner, by id, by token. Reads the store only; callable from every thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/access/agent_directory.h"
#include "appliance/hosting/agents/records.h"
#include "store/store.h"
#include "web/protocol/http.h"
#include "web/result.h"
#include "web/task.h"

namespace agents {

class AgentDirectory final : public agentbox::AgentDirectory {
 public:
  explicit AgentDirectory(store::System system) : system_(std::move(system)) {}

  bool is_user(store::UserId) const;
  // All of them: AGENT_PORT_RANGE bounds the agents of a box.
  std::vector<AgentSummary> list(store::UserId) const;
  // Unchanged while the list is unchanged (store::Tenant::version).
  std::uint64_t version(store::UserId) const;
  std::vector<AgentSummary> list_all(std::size_t limit) const;
  // Agents that are being deleted are not found.
  std::optional<Agent> find(store::UserId owner, std::string_view id) const;
  std::optional<Agent> find(std::string_view id) const;  // of any owner: for the backend
  // `id_or_user` is the id of one of the user's agents, or the user's own id if there is exactly one agent. not_found;
  // invalid if there are several.
  web::Result<Agent> resolve(store::UserId, std::string_view id_or_user) const;
  // Suspends while the agent is `provisioning`: being started, restarted, updated or repaired.
  web::Task<> until_settled(store::UserId owner, std::string id, std::chrono::seconds at_most = healthy_within) const;

  std::optional<web::Caller> caller_of_box_token(std::string_view token) const override;
  bool exists(std::string_view id) const override { return find(id).has_value(); }
  bool has(store::UserId owner, std::string_view id) const override { return find(owner, id).has_value(); }
  // See requested_provider.
  std::string ai_provider(std::string_view id) const override;

 private:
  store::System system_;
};

}  // namespace agents
