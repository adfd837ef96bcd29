#include "appliance/hosting/cloning/payment_proof.h"

#include <algorithm>

#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/chain/amount.h"
#include "appliance/foundation/crypto/ethereum.h"
#include "web/ascii.h"

namespace cloning {

namespace {

constexpr unsigned decimals = 18;  // more than any stablecoin has

double seconds_of(std::chrono::duration<double> time) { return time.count(); }
double seconds_of(store::Time time) { return seconds_of(time.time_since_epoch()); }

// Without its checksum: nothing is sent to this address.
bool is_address(std::string_view text) {
  return text.size() == 42 && text.starts_with("0x") && web::all_hex_digits(text.substr(2));
}

web::Error wrong(std::string field, std::string how) {
  return web::invalid("paymentProof." + std::move(field) + " must " + std::move(how));
}

}  // namespace

std::string signed_text(std::string_view parent_agent, std::string_view transaction) {
  std::string text("Clone ");
  return text.append(parent_agent).append(" for the payment ").append(transaction);
}

bool is_signed_by_payer(const PaymentProof& proof, std::string_view parent_agent) {
  if (!proof.signature) return false;
  const auto signature = chain::from_hex(*proof.signature);
  const auto payer = crypto::EthereumAddress::parse(web::lower_case(proof.from));
  const auto digest =
      crypto::personal_message_digest(signed_text(parent_agent, web::lower_case(proof.transactionHash)));
  return signature && payer && crypto::recover_signer(digest, *signature) == payer;
}

web::Result<Payment> checked(const PaymentProof& proof, store::UserId payer, store::Time now) {
  const std::string_view hash = proof.transactionHash;
  if (!hash.starts_with("0x") || hash.size() < 3 || !web::all_hex_digits(hash.substr(2)))
    return wrong("transactionHash", "be 0x and hex digits");
  const auto amount = chain::without_point(proof.amount, decimals);
  if (!amount || !chain::at_least(*amount, *chain::without_point(price, decimals)))
    return wrong("amount", "be a decimal number of at least " + std::string(price));
  if (proof.currency != currency) return wrong("currency", "be " + std::string(currency));
  if (proof.chainId != chain_id) return wrong("chainId", "be " + std::to_string(chain_id));
  if (!is_address(proof.from)) return wrong("from", "be 0x and 40 hex digits");
  if (!is_address(proof.to)) return wrong("to", "be 0x and 40 hex digits");
  const auto age = seconds_of(now) - proof.timestamp.value;
  if (!(age <= seconds_of(proof_life) && -age <= seconds_of(clock_difference)))
    return wrong("timestamp", "be the Unix time of the payment, in seconds, at most 30 days ago");
  return Payment{.transaction = web::lower_case(proof.transactionHash),
                 .user_id = payer,
                 .amount = proof.amount,
                 .from = web::lower_case(proof.from),
                 .to = web::lower_case(proof.to),
                 .used_at = now};
}

}  // namespace cloning
