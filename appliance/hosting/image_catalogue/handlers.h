#pragma once

#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/image_catalogue/image_catalogue.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace audit {
class Audit;
}

namespace image_catalogue {

// What the rows depend on; all of it must outlive them.
struct Services {
  ImageCatalogue& catalogue;
  audit::Audit& audit;
};

// /api/images.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// /api/admin/images.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace image_catalogue
