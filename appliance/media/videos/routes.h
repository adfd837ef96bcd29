#pragma once

#include <boost/asio/thread_pool.hpp>
#include <string>
#include <vector>

#include "appliance/identity/guards.h"
#include "appliance/media/videos/links.h"
#include "appliance/media/videos/videos.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace videos {

// What the rows depend on; all of it must outlive them.
struct Services {
  Videos& videos;
  const Links& links;
  const std::string& web_url;
  boost::asio::thread_pool& blocking;
};

// POST /api/generate-video and what becomes of it; the files themselves.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// The same for agents.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace videos
