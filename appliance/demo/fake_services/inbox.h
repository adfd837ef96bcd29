// The inbox of everybody to whom the box sends mail: a page that shows the box's outbox.
#pragma once

#include <vector>

#include "appliance/demo/fake_services/known_box.h"
#include "web/routes/route.h"

namespace demo {

std::vector<web::Route> inbox(const KnownBox&);

}  // namespace demo
