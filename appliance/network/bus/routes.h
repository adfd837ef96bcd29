#pragma once

#include <vector>

#include "appliance/identity/guards.h"
#include "appliance/network/bus/bus.h"
#include "appliance/network/bus/mailbox.h"
#include "appliance/network/bus_keys/bus_keys.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace bus {

// What the rows depend on; all of it must outlive them.
struct Services {
  Bus& bus;
  Mailbox& mailbox;
  bus_keys::BusKeys& keys;
  store::System system;
};

inline constexpr auto send_path = "/api/underground/bus/send";

// The owner's view: mailboxes and dead letters.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// Sending, and the agents' own mailboxes.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace bus
