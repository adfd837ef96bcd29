#pragma once

#include <vector>

#include "appliance/hosting/schedule/schedule.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace schedule {

// All of them must outlive the rows.
struct Services {
  Schedule& schedule;
};

// /api/scheduled-tasks.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// /api/agent-tasks, where an agent schedules its own prompts.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace schedule
