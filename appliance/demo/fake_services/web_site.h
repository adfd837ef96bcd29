// A small web site with pages to summarize and sources for data feeds.
#pragma once

#include <vector>

#include "web/routes/route.h"

namespace demo {

std::vector<web::Route> web_site();

}  // namespace demo
