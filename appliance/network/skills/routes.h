#pragma once

#include <boost/asio/thread_pool.hpp>
#include <vector>

#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "appliance/network/skills/booking_settlement.h"
#include "appliance/network/skills/instant_split.h"
#include "appliance/network/skills/runs.h"
#include "appliance/network/skills/sales.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace skills {

// All of them must outlive the rows.
struct Services {
  Catalogue& catalogue;
  Installer& installer;
  Runs& runs;
  BookingSettlement& bookings;
  InstantSplit& splits;
  Sales& sales;
  const billing::Subscriptions& subscriptions;
  audit::Audit& audit;
  boost::asio::thread_pool& uploads;  // unpacks archives and writes the catalogue's folder
};

// /api/skills.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// /api/admin/skills and /api/admin/skills-on-sale.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace skills
