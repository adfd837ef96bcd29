#include "appliance/hosting/cloning/cloning.h"

namespace cloning {

namespace {

using spent_credentials::SpentCredentials;

web::Error refused(std::string message, std::string code) {
  return {.kind = web::Kind::payment_required, .message = std::move(message), .code = std::move(code)};
}

// Of a payment for a clone, and of every other one that the box was paid with.
web::Result<void> use_payment(const store::System& system, const SpentCredentials& spent, const Payment& payment,
                              store::Change& change) {
  const std::string network = "eip155:" + std::to_string(chain_id);
  const auto id = spent_credentials::of_transaction(network, payment.transaction);
  if (system.get(payments, payment.transaction) || spent.find(id, id))
    return refused("This payment has been used already.", "PAYMENT_ALREADY_USED");
  change.insert(payments, payment);
  SpentCredentials::spend(change, {.id = id,
                                   .way = "clone",
                                   .payer = payment.from,
                                   .amount = payment.amount,
                                   .purpose = "clone",
                                   .transaction = id});
  return {};
}

}  // namespace

web::Task<web::Result<Clone>> Cloning::clone(web::Caller caller, std::string name, agents::Descent descent,
                                             PaymentProof proof) {
  const auto payment = checked(proof, caller.user_id, store::now());
  if (!payment) co_return payment.error();
  const bool is_verified = !payment_receiver().empty();
  if (!is_verified && rules_.only_verified)
    co_return web::Error{.kind = web::Kind::unavailable,
                         .message = "This box cannot verify payments for clones, so it accepts none.",
                         .code = "PAYMENTS_NOT_VERIFIED"};
  const bool is_own = is_wallet_of_(caller.user_id, payment->from) || is_signed_by_payer(proof, descent.parent);
  if (rules_.only_own && !is_own)
    co_return refused(
        "This payment is from a wallet that is not linked to your account. Sign in with it, or send its "
        "signature of the clone.",
        "PAYMENT_BY_ANOTHER");
  if (const auto confirmed = co_await lookup_.confirm(*payment); !confirmed) co_return confirmed.error();
  agents::CommitHook use = [system = system_, &spent = spent_, paid = *payment](store::Change& change) {
    return use_payment(system, spent, paid, change);
  };
  auto agent = co_await provisioning_.clone(caller, std::move(name), std::move(descent), std::move(use));
  if (!agent) co_return agent.error();
  co_return Clone{.agent = std::move(*agent), .payment = *payment, .is_verified = is_verified};
}

}  // namespace cloning
