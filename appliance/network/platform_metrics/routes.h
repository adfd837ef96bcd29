#pragma once

#include <string_view>
#include <vector>

#include "appliance/billing/spans/recorder.h"
#include "appliance/billing/usage/ledger.h"
#include "appliance/identity/guards.h"
#include "store/store.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace platform_metrics {

// What the rows depend on; all of it must outlive them.
struct Services {
  store::System system;
  const usage::Ledger& ledger;
  spans::Recorder& recorder;
};

std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace platform_metrics
