#pragma once

#include <vector>

#include "appliance/access/guards.h"
#include "appliance/identity/identities/own_identities.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace identities {

// What the rows depend on; all of it must outlive them.
struct Services {
  OwnIdentities& own;
};

BOOST_DEFINE_ENUM_CLASS(Provider, idp, codehost, social, wallet)

struct IdentityView {
  std::string id;
  Provider provider{};
  std::string issuer;   // a URL; empty for wallets
  std::string account;  // its name or number there; a wallet's address
  bool disabled = false;
  store::Time connectedAt;
};
BOOST_DESCRIBE_STRUCT(IdentityView, (), (id, provider, issuer, account, disabled, connectedAt))

struct IdentityList {
  std::vector<IdentityView> identities;
};
BOOST_DESCRIBE_STRUCT(IdentityList, (), (identities))

// /api/settings/identities.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace identities
