#pragma once

#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/identity/token_gating/token_gating.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace token_gating {

// What the rows depend on; all of it must outlive them.
struct Services {
  TokenGating& gating;
};

struct WalletQuery {
  web::Text<1, 42> address;
};
BOOST_DESCRIBE_STRUCT(WalletQuery, (), (address))

// Also a part of the answer to a social identity.
struct HoldingView {
  bool verified = false;
  std::string address, balance, required, token;
  std::int64_t chainId = 0;
};
BOOST_DESCRIBE_STRUCT(HoldingView, (), (verified, address, balance, required, token, chainId))

// invalid: not an address. Else the errors of TokenGating::holding_of.
web::Task<web::Result<HoldingView>> look_up(TokenGating&, std::string address);

web::Answer verify_wallet(const Services&, const web::Request&, WalletQuery);

std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace token_gating
