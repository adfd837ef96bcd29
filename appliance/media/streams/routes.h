#pragma once

#include <vector>

#include "appliance/identity/guards.h"
#include "appliance/media/streams/radio_gate.h"
#include "appliance/media/streams/streams.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace streams {

// What the rows depend on; all of it must outlive them.
struct Services {
  Streams& streams;
  RadioGate& gate;
};

// The radio, and the streams of a user.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace streams
