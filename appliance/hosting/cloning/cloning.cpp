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

Terms Cloning::terms() const {
  if (!payment_receiver().empty()) return Terms::payment;
  return rules_.is_free_without_chain ? Terms::free : Terms::off;
}

web::Task<web::Result<Payment>> Cloning::verify(const PaymentProof& proof, store::UserId user,
                                                const std::string& parent) {
  auto payment = checked(proof, user, store::now());
  if (!payment) co_return payment.error();
  const bool is_own = is_wallet_of_(user, payment->from) || is_signed_by_payer(proof, parent);
  if (rules_.only_own && !is_own)
    co_return refused(
        "This payment is from a wallet that is not linked to your account. Sign in with it, or send its "
        "signature of the clone.",
        "PAYMENT_BY_ANOTHER");
  if (const auto confirmed = co_await lookup_.confirm(*payment); !confirmed) co_return confirmed.error();
  co_return payment;
}

web::Task<web::Result<Clone>> Cloning::clone(web::Caller caller, std::string name, agents::CloneOrigin descent,
                                             std::optional<PaymentProof> proof) {
  const auto terms = this->terms();
  if (terms == Terms::off)
    co_return web::Error{.kind = web::Kind::unavailable,
                         .message = "This box cannot verify payments for clones, so it makes none.",
                         .code = "PAYMENTS_NOT_VERIFIED"};
  std::optional<Payment> payment;
  if (terms == Terms::payment) {
    if (!proof) co_return web::invalid("paymentProof is required");
    auto verified = co_await verify(*proof, caller.user_id, descent.parent);
    if (!verified) co_return verified.error();
    payment = std::move(*verified);
  } else if (proof) {
    const auto form = checked(*proof, caller.user_id, store::now());
    if (!form) co_return form.error();
  }
  agents::CommitHook use = [system = system_, &spent = spent_, payment](store::Change& change) {
    return payment ? use_payment(system, spent, *payment, change) : web::Result<void>();
  };
  auto agent = co_await provisioning_.clone(caller, std::move(name), std::move(descent), std::move(use));
  if (!agent) co_return agent.error();
  co_return Clone{.agent = std::move(*agent), .payment = std::move(payment)};
}

}  // namespace cloning
