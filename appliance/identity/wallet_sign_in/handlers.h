#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/identity/sign_in/sign_in.h"
#include "appliance/identity/wallet_sign_in/wallet_sign_in.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace wallet_sign_in {

// What the rows depend on; all of it must outlive them.
struct Services {
  WalletSignIn& wallets;
  sign_in::SignIn& sign_in;
};

struct NonceView {
  std::string nonce;
};
BOOST_DESCRIBE_STRUCT(NonceView, (), (nonce))

struct SignedMessage {
  web::Text<1, 42> address;
  web::Prose<1, 8192> message;
  web::Text<4, 32770> signature;
  std::optional<web::Text<1, 100>> inviteCode;
};
BOOST_DESCRIBE_STRUCT(SignedMessage, (), (address, message, signature, inviteCode))

// The nonce, and signing in.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace wallet_sign_in
