#include "appliance/hosting/cloning/cloning.h"

namespace cloning {

namespace {

web::Result<void> use_payment(const store::System& system, const Payment& payment, store::Change& change) {
  if (system.get(payments, payment.transaction))
    return web::Error{.kind = web::Kind::payment_required,
                      .message = "This payment has been used for a clone already.",
                      .code = "PAYMENT_ALREADY_USED"};
  change.insert(payments, payment);
  return {};
}

}  // namespace

web::Task<web::Result<Clone>> Cloning::clone(web::Caller caller, std::string name, agents::Descent descent,
                                             PaymentProof proof) {
  const auto payment = checked(proof, caller.user_id, store::now());
  if (!payment) co_return payment.error();
  if (const auto confirmed = co_await lookup_.confirm(*payment); !confirmed) co_return confirmed.error();
  agents::CommitHook use = [system = system_, paid = *payment](store::Change& change) {
    return use_payment(system, paid, change);
  };
  auto agent = co_await provisioning_.clone(caller, std::move(name), std::move(descent), std::move(use));
  if (!agent) co_return agent.error();
  co_return Clone{.agent = std::move(*agent), .payment = *payment};
}

}  // namespace cloning
