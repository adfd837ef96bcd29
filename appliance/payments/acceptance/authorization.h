// Transfers that a token's owner authorizes by a signature, for anybody to send to the chain (EIP-3009).
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>

#include "appliance/foundation/crypto/ethereum.h"
#include "web/result.h"

namespace eip3009 {

struct Authorization {
  crypto::EthereumAddress from, to;
  // Words: 32 raw bytes. The window is in seconds since the epoch; both ends are outside of it.
  std::string value, valid_after, valid_before, nonce;
  std::string signature;  // raw: 65 bytes of a key, or whatever a smart wallet checks
};

// The members from, to, value, validAfter, validBefore (decimal text) and nonce (0x and 64 hex digits) of `fields`, and
// the signature (0x and hex). Invalid names the field, below `where`.
web::Result<Authorization> parse_authorization(const boost::json::value& fields, std::string_view signature,
                                               std::string_view where);

// The members that parse_authorization() reads.
boost::json::object to_json(const Authorization&);

// The digest that is signed (EIP-712) in the token's domain, of which `separator` is the hash: 32 raw bytes.
std::string digest(const Authorization&, std::string_view separator);

// The call data of the token's transferWithAuthorization: the form with v, r and s for the signature of a key, else the
// one with bytes. `signature` is the inner one (chain::inner_signature).
std::string transfer_call(const Authorization&, std::string_view signature);

}  // namespace eip3009
