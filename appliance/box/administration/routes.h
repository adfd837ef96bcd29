#pragma once

#include <vector>

#include "appliance/box/administration/step_up.h"
#include "appliance/foundation/settings/load.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace administration {

// What the rows depend on; all of it must outlive them.
struct Services {
  StepUp& step_up;
  const agentbox::Settings& settings;
  const agentbox::SettingSources& sources;
};

// POST /api/auth/step-up. The backend's admin rows are added to those of the web by admin_rows.h.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// GET /api/admin/settings.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace administration
