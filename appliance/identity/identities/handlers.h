#pragma once

#include "appliance/identity/identities/routes.h"
#include "web/routes/endpoint.h"

namespace identities {

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

web::Answer list_identities(const Services&, const web::Request&);
web::Answer disconnect_identity(const Services&, const web::Request&, second_factor::StepUpProof);

}  // namespace identities
