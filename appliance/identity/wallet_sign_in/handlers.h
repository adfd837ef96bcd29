#pragma once

#include <optional>
#include <string>

#include "appliance/identity/wallet_sign_in/routes.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace wallet_sign_in {

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

web::Answer issue_nonce(const Services&, const web::Request&);
web::Answer sign_in_with_wallet(const Services&, const web::Request&, SignedMessage);

}  // namespace wallet_sign_in
