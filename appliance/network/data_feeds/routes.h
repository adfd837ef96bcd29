#pragma once

#include <vector>

#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "appliance/network/data_feeds/data_feeds.h"
#include "appliance/network/data_feeds/own_feeds.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace data_feeds {

// What the rows depend on; all of it must outlive them.
struct Services {
  DataFeeds& feeds;
  OwnFeedReader& own;
  audit::Audit& audit;
};

// Reading feeds, for users and agents; configuring them, for the administrator.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace data_feeds
