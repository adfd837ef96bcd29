// Challenges of the Payment authentication scheme (MPP, draft-httpauth-payment): what is to be paid, bound by an HMAC
// so that the box need not remember them.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/foundation/crypto/ethereum.h"
#include "appliance/payments/acceptance/authorization.h"
#include "store/codec.h"
#include "web/result.h"

namespace mpp {

inline constexpr std::string_view intent = "charge";
inline constexpr std::chrono::minutes challenge_life{5};

// The parameters of a challenge; empty where it has none.
struct Challenge {
  std::string id, realm, method, intent;
  std::string request;  // base64url of canonical JSON
  std::string expires;  // RFC 3339
  std::string digest;   // of the request's body (RFC 9530)
  std::string opaque, description;
};

// The value of a WWW-Authenticate header.
std::string header_of(const Challenge&);

// A presented credential.
struct Credential {
  Challenge challenge;
  std::string source;  // did:pkh:eip155:<chain>:<address>; empty: not given
  boost::json::object payload;
};

// The part after "Payment " of an Authorization header. Invalid says what is malformed.
web::Result<Credential> parse_credential(std::string_view encoded);
// That part; nothing for another scheme.
std::optional<std::string_view> payment_credential(std::string_view authorization);

// Canonical JSON (RFC 8785) of objects, texts and whole numbers, in base64url.
std::string encode_request(const boost::json::object&);
// "sha-256=:<base64>:" of a body.
std::string digest_of(std::string_view body);

// Issues challenges and recognizes its own. Callable from every thread.
class Challenges {
 public:
  explicit Challenges(std::string secret) : secret_(std::move(secret)) {}

  // `digest`: of the body of the request that the payment is for.
  Challenge issue(std::string realm, std::string method, const boost::json::object& request, std::string digest,
                  std::string description, store::Time now) const;
  bool has_issued(const Challenge&) const;

 private:
  std::string id_of(const Challenge&) const;

  const std::string secret_;
};

bool has_expired(const Challenge&, store::Time now);

// The method `evm`: an authorization of EIP-3009 whose nonce is the hash of the challenge.
// The request of its challenge. `amount` in the token's smallest unit.
boost::json::object evm_request(std::uint64_t chain_id, const crypto::EthereumAddress& token,
                                const crypto::EthereumAddress& receiver, std::string_view amount);

// The authorization of a credential. Invalid if it is malformed, or if its nonce is not the challenge's.
web::Result<eip3009::Authorization> authorization_of(const Credential&);

}  // namespace mpp
