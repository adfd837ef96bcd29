// What modules below hosting ask about agents. Hosting implements it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "store/store.h"
#include "web/protocol/http.h"

namespace agentbox {

// Callable from every thread. Agents that are being deleted are not found.
class AgentDirectory {
 public:
  virtual ~AgentDirectory() = default;
  // The agent that a box token belongs to, with its owner; nothing for an unknown token.
  virtual std::optional<web::Caller> caller_of_box_token(std::string_view token) const = 0;
  virtual bool exists(std::string_view agent) const = 0;
  virtual bool has(store::UserId owner, std::string_view agent) const = 0;
  // The provider that the agent's model calls prefer; empty for an unknown agent, too.
  virtual std::string ai_provider(std::string_view agent) const = 0;
};

}  // namespace agentbox
