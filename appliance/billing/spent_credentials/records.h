// Every payment credential that the box has accepted, so that none counts twice.
#pragma once

#include <boost/describe.hpp>
#include <string>

#include "store/store.h"

namespace spent_credentials {

// held: checked, no money has moved yet, and a request is working on what it pays for. settling: the money may be on
// its way. serving: the money is here, and a request is working. paid: the money is here and nothing was delivered, so
// the credential may be presented again. spent: delivered.
BOOST_DEFINE_ENUM_CLASS(State, held, settling, serving, paid, spent)

// Spent ones are never deleted.
struct Credential {
  std::string id;  // of_authorization() or of_transaction()
  State state = State::held;
  std::string way;          // x402, mpp, clone, facilitator
  std::string payer;        // lower case
  std::string amount;       // in whole tokens: "0.001"
  std::string purpose;      // what it pays for: "gateway summarize", "clone", "settlement for user 12"
  std::string request;      // digest of the request that it pays for; empty: not bound to one
  std::string transaction;  // of_transaction(); empty while it is not known
  store::Time created_at, changed_at;
};
BOOST_DESCRIBE_STRUCT(Credential, (),
                      (id, state, way, payer, amount, purpose, request, transaction, created_at, changed_at))

// The entry in the index of unfinished credentials.
inline constexpr const char* unfinished = "1";

inline const store::Global<Credential> credentials{
    {.family = "spent_credentials", .number = 110},
    &Credential::id,
    {store::unique(1, "transaction", &Credential::transaction),
     {.number = 2, .name = "unfinished", .key = [](const Credential& one) -> std::optional<std::string> {
        if (one.state == State::spent) return std::nullopt;
        return unfinished;
      }}}};

// The id of an authorization (EIP-3009): a payer's nonce counts once at each token. `network` as in CAIP-2
// ("eip155:8453"), the rest in lower-case hex.
std::string of_authorization(std::string_view network, std::string_view token, std::string_view payer,
                             std::string_view nonce);
// The id of a transaction, whatever it is presented as.
std::string of_transaction(std::string_view network, std::string_view hash);

}  // namespace spent_credentials
