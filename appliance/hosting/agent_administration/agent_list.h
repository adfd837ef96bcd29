// The agents of all users, for administrators.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/hosting/agents/directory.h"
#include "appliance/identity/accounts/accounts.h"

namespace agent_administration {

struct AgentFilter {
  std::string text;  // part of the name or the subdomain, or the whole id, in any case of ASCII letters; empty: all
  std::optional<agents::Status> status;
  std::optional<store::UserId> owner;
  std::string after;  // a `next`; empty: from the beginning
  std::size_t limit = 100;
};

struct OwnedAgent {
  agents::AgentSummary agent;
  std::string owner_email;  // empty: the box's own
};

struct AgentPage {
  std::vector<OwnedAgent> agents;
  std::optional<std::string> next;
  std::size_t total = 0;  // that the filter admits, on all pages
};

// Newest first; agents that are being deleted are included. invalid: `after`. Reads all agents and blocks.
web::Result<AgentPage> list_agents(const agents::AgentDirectory&, const accounts::Accounts&, const AgentFilter&);

}  // namespace agent_administration
