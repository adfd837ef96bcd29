#pragma once

#include <vector>

#include "appliance/access/guards.h"
#include "appliance/box/agent_transfer/agent_transfer.h"
#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/audit/audit.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace agent_transfer {

// All outlive the rows.
struct Services {
  AgentTransfer& transfer;
  const accounts::Accounts& accounts;
  audit::Audit& audit;
};

struct ExportRequest {
  web::Text<1, 4'096> file;
};
BOOST_DESCRIBE_STRUCT(ExportRequest, (), (file))

struct ExportAnswer {
  std::string file;
  std::int64_t bytes = 0;
  std::vector<std::string> secrets, leftOut;
};
BOOST_DESCRIBE_STRUCT(ExportAnswer, (), (file, bytes, secrets, leftOut))

struct ImportRequest {
  web::Text<1, 4'096> file;
  std::optional<web::Text<1, 320>> owner;
};
BOOST_DESCRIBE_STRUCT(ImportRequest, (), (file, owner))

struct ImportAnswer {
  std::string id, name;
  std::int64_t messages = 0, schedules = 0;
  std::vector<std::string> secrets;
};
BOOST_DESCRIBE_STRUCT(ImportAnswer, (), (id, name, messages, schedules, secrets))

// POST /api/admin/agents/:id/export and /api/admin/agents/import
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace agent_transfer
