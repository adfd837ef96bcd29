#pragma once

#include <boost/asio/thread_pool.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/agents/agents.h"
#include "appliance/hosting/agents/views.h"
#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/audit/audit.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace agent_administration {

// What the rows depend on; all of it must outlive them.
struct Services {
  agents::Agents& agents;
  accounts::Accounts& accounts;
  audit::Audit& audit;
  boost::asio::thread_pool& blocking;  // for reads of the whole table
};

struct AgentsQuery {
  std::optional<web::Text<1, 100>> search;
  std::optional<agents::Status> status;
  std::optional<web::Text<1, 20>> userId;
  std::optional<web::Text<1, 100>> after;
  std::optional<web::Integer<1, 1000>> limit;
};
BOOST_DESCRIBE_STRUCT(AgentsQuery, (), (search, status, userId, after, limit))

// Of the agents of the box itself, userId and userEmail are null.
struct AgentItem : agents::AgentCore {
  std::string name, model, subdomain, url;
  std::optional<std::string> userId, userEmail;
  store::Time createdAt, updatedAt;
};
BOOST_DESCRIBE_STRUCT(AgentItem, (agents::AgentCore),
                      (name, model, subdomain, url, userId, userEmail, createdAt, updatedAt))

struct AgentList {
  std::vector<AgentItem> agents;
  std::int64_t total = 0;
  std::optional<std::string> next;
};
BOOST_DESCRIBE_STRUCT(AgentList, (), (agents, total, next))

struct AgentDetail {
  agents::Detail agent;
  std::optional<std::string> userId, userEmail;
};
BOOST_DESCRIBE_STRUCT(AgentDetail, (), (agent, userId, userEmail))

// What an administrator does to an agent, and how the audit log names it.
using Operation = web::Task<web::Result<agents::Agent>> (agents::AgentLifecycle::*)(store::UserId, std::string);
struct Act {
  Operation run;
  const char* noted;
};

// /api/admin/agents.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace agent_administration
