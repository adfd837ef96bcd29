#pragma once

#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/sharing/sharing.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace agents {
class AgentEditor;
class AgentLifecycle;
}  // namespace agents
namespace audit {
class Audit;
}
namespace chat {
class Chat;
}
namespace schedule {
class Tasks;
}
namespace usage {
class Ledger;
}

namespace sharing {

// What the rows depend on; all of it must outlive them.
struct Services {
  Sharing& sharing;
  const agents::AgentDirectory& agents;
  agents::AgentEditor& editor;
  agents::AgentLifecycle& lifecycle;
  chat::Chat& chat;
  chat::Conversations& conversations;
  schedule::Tasks& tasks;
  const usage::Ledger& ledger;
  const accounts::Accounts& accounts;
  const groups::Groups& groups;
  audit::Audit& audit;
};

// /api/agents/:id/shares and /api/shared.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

// The parts of the table: for owners, for those an agent is shared with, and for builders.
std::vector<web::Route> share_rows(const agentbox::Guards&, const web::Bind<Services>&);
std::vector<web::Route> talk_rows(const agentbox::Guards&, const web::Bind<Services>&);
std::vector<web::Route> builder_rows(const agentbox::Guards&, const web::Bind<Services>&);
std::vector<web::Route> schedule_rows(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace sharing
