// Proof of a payment for a clone (x402): the contract's fields, each checked. A transaction pays for one clone.
#pragma once

#include <boost/describe.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "store/store.h"
#include "web/result.h"
#include "web/routes/fields.h"

namespace cloning {

inline constexpr auto price = "1.0", currency = "pathUSD";
inline constexpr std::int64_t chain_id = 4217;

struct PaymentProof {
  web::Text<1, 130> transactionHash;
  web::Text<1, 40> amount;
  web::Text<1, 20> currency;
  web::Integer<0, 1'000'000'000'000> chainId;
  web::Text<1, 64> from, to;
  web::Number timestamp;
  std::optional<web::Text<1, 140>> signature;
};
BOOST_DESCRIBE_STRUCT(PaymentProof, (), (transactionHash, amount, currency, chainId, from, to, timestamp, signature))

// What the payer signs (ERC-191), where the payer has to be the caller and no linked wallet is.
std::string signed_text(std::string_view parent_agent, std::string_view transaction);
// Whether the account `from` made the proof's signature over that text.
bool is_signed_by_payer(const PaymentProof&, std::string_view parent_agent);

// A payment used for a clone. Never deleted: it must not pay for another.
struct Payment {
  std::string transaction;  // lower case
  std::int64_t user_id = 0;
  std::string amount, from, to;
  store::Time used_at;
};
BOOST_DESCRIBE_STRUCT(Payment, (), (transaction, user_id, amount, from, to, used_at))

inline const store::Global<Payment> payments{{.family = "clone_payments", .number = 36}, &Payment::transaction, {}};

// A proof is good for thirty days; the clocks of payer and box may differ by five minutes.
inline constexpr std::chrono::hours proof_life{30 * 24};
inline constexpr std::chrono::minutes clock_difference{5};

// Checks the format only; PaymentLookup asks the chain. invalid, naming the field.
web::Result<Payment> checked(const PaymentProof&, store::UserId payer, store::Time now);

}  // namespace cloning
