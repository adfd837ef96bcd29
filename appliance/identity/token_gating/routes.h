#pragma once

#include <vector>

#include "appliance/identity/guards.h"
#include "appliance/identity/token_gating/token_gating.h"
#include "web/route.h"

namespace token_gating {

// What both the route and social identity show of a holding.
struct HoldingView {
  bool verified = false;
  std::string address, balance, required, token;
  std::int64_t chainId = 0;
};
BOOST_DESCRIBE_STRUCT(HoldingView, (), (verified, address, balance, required, token, chainId))

web::Task<web::Result<HoldingView>> look_up(TokenGating&, std::string address);

// Web. The service must outlive the rows.
std::vector<web::Route> routes(TokenGating&, const agentbox::Guards&);

}  // namespace token_gating
