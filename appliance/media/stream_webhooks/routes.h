#pragma once

#include <string>
#include <vector>

#include "appliance/identity/guards.h"
#include "appliance/media/stream_webhooks/assets.h"
#include "appliance/media/streams/streams.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace stream_webhooks {

// What the rows depend on; all of it must outlive them.
struct Services {
  streams::Streams& streams;
  Assets& assets;
  const std::string& secret;  // empty: no webhook is accepted
};

// The receiver of the provider's webhooks, and for administrators the recordings.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace stream_webhooks
