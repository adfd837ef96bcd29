// Agent cards: what an agent is and where it is reached, signed by the box.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "appliance/foundation/crypto/ed25519.h"
#include "appliance/network/bus/participant.h"

namespace a2a {

class CardSigner {
 public:
  explicit CardSigner(std::string_view master_key);

  // Adds `signatures`: a JWS over the card's canonical JSON. `keys_url` is where the public key is.
  void sign(boost::json::object& card, const std::string& keys_url) const;
  // The public key as a JWK set.
  boost::json::object key_set() const;

 private:
  const crypto::SigningKey key_;
  const std::string key_id_;
};

// In version 1.0, without signatures. `url` is that of its JSON-RPC.
boost::json::object card_of(const bus::Participant&, const std::string& url);
// In version 0.3, for clients that ask for it.
boost::json::object legacy_card_of(const bus::Participant&, const std::string& url);

}  // namespace a2a
