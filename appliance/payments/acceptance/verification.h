// Whether an authorization pays what it should.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "appliance/payments/acceptance/authorization.h"
#include "appliance/payments/acceptance/token.h"
#include "store/codec.h"

namespace eip3009 {

// Why a payment is refused: x402's code, and a sentence.
struct Refusal {
  std::string reason, message;
};

struct PaymentTerms {
  crypto::EthereumAddress receiver;
  std::string value;  // a word
};

// An authorization must be good for at least this much longer, so that it can still be sent.
inline constexpr std::chrono::seconds least_validity{6};

// What needs no chain: receiver, exact amount and time window.
std::optional<Refusal> check_terms(const Authorization&, const PaymentTerms&, store::Time now);
// Whether the account's key made the signature; false also for the signature of a smart wallet.
bool is_signed_by_key(const Authorization&, const Domain&);
// All of it: the terms, the signature of a key or a smart wallet in the token's own domain, the nonce, the balance, and
// that the transfer would succeed. Errors: unavailable, if the chain cannot tell.
web::Task<web::Result<std::optional<Refusal>>> verify(Token&, const Authorization&, PaymentTerms, store::Time now);

}  // namespace eip3009
