#pragma once

#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/templates/templates.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace audit {
class Audit;
}

namespace templates {

// What the rows depend on; all of it must outlive them.
struct Services {
  Templates& templates;
  audit::Audit& audit;
};

// /api/templates and /api/agents/:id/template.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace templates
