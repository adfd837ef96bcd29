// Terminals of agents, for their owners, and the plans that include them, for the administrator.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/terminals/terminals.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace terminals {

// What the rows depend on; all of it must outlive them.
struct Services {
  store::System system;
  Terminals& terminals;
  const agents::AgentDirectory& agents;
  audit::Audit& audit;
  std::function<std::string()> why_not;  // a sentence; empty: commands can be run
};

struct SizeRequest {
  web::Integer<2, 1'000> columns, rows;
};
BOOST_DESCRIBE_STRUCT(SizeRequest, (), (columns, rows))

struct TypeRequest {
  web::Verbatim<1, 64'000> text;
};
BOOST_DESCRIBE_STRUCT(TypeRequest, (), (text))

struct OpenAnswer {
  std::string id;
};
BOOST_DESCRIBE_STRUCT(OpenAnswer, (), (id))

struct TerminalItem {
  std::string id, startedAt;
};
BOOST_DESCRIBE_STRUCT(TerminalItem, (), (id, startedAt))

struct TerminalList {
  bool included = false, available = false;
  std::optional<std::string> reason;
  std::vector<TerminalItem> terminals;
};
BOOST_DESCRIBE_STRUCT(TerminalList, (), (included, available, reason, terminals))

struct PlanChange {
  bool included = false;
};
BOOST_DESCRIBE_STRUCT(PlanChange, (), (included))

struct PlanItem {
  std::string plan;
  bool included = false;
};
BOOST_DESCRIBE_STRUCT(PlanItem, (), (plan, included))

struct PlanList {
  std::vector<PlanItem> plans;
};
BOOST_DESCRIBE_STRUCT(PlanList, (), (plans))

// /api/agents/:id/terminals.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// /api/admin/plans.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace terminals
