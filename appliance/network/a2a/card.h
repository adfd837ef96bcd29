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

  // Adds to `signatures` a JWS over the canonical JSON of `signed_part`, which is the card without its signatures as
  // some reader sees it. `keys_url` is where the public key is.
  void sign(boost::json::object& card, const boost::json::object& signed_part, const std::string& keys_url) const;
  // The public key as a JWK set.
  boost::json::object key_set() const;

 private:
  const crypto::SigningKey key_;
  const std::string key_id_;
};

// In version 1.0, without signatures. `url` is that of its JSON-RPC.
boost::json::object card_of(const bus::Participant&, const std::string& url);
// The same with the members by which clients of version 0.3 find the agent: url, preferredTransport, protocolVersion.
boost::json::object card_for_both(const bus::Participant&, const std::string& url);
// In version 0.3, for clients that ask for it.
boost::json::object legacy_card_of(const bus::Participant&, const std::string& url);

}  // namespace a2a
