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
                                             std::optional<PaymentProof> proof, std::string message) {
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
  using Run = agents::AgentProvisioning::Run;
  std::string point;
  if (!message.empty()) {
    auto written = co_await parts_.conversations.write_fork(caller.user_id, descent.parent, message);
    if (!written) co_return written.error();
    point = std::move(*written);
  }
  const auto begins = message.empty() ? Run::now : Run::later;
  auto agent =
      co_await provisioning_.clone(caller, caller.user_id, std::move(name), std::move(descent), std::move(use), begins);
  if (agent && !message.empty()) {
    auto filling = fill(std::move(*agent), std::move(message), std::move(point));
    agent = co_await std::move(filling);
  }
  if (!agent) co_return agent.error();
  co_return Clone{.agent = std::move(*agent), .payment = std::move(payment)};
}

web::Task<web::Result<agents::Agent>> Cloning::fork(agents::Agent parent, std::string name, std::string message) {
  auto point = co_await parts_.conversations.write_fork(parent.owner, parent.id, message);
  if (!point) co_return point.error();
  const web::Caller box_operator;
  agents::CloneOrigin descent{.parent = parent.id,
                              .specialization = agents::unspecialized,
                              .generation = (parent.descent ? parent.descent->generation : 1) + 1};
  agents::CommitHook nothing = [](store::Change&) { return web::Result<void>(); };
  auto agent = co_await provisioning_.clone(box_operator, parent.owner, std::move(name), std::move(descent),
                                            std::move(nothing), agents::AgentProvisioning::Run::later);
  if (!agent) co_return agent;
  auto filling = fill(std::move(*agent), std::move(message), std::move(*point));
  co_return co_await std::move(filling);
}

web::Task<web::Result<agents::Agent>> Cloning::fill(agents::Agent clone, std::string message, std::string fork) {
  const auto parent = clone.descent->parent;
  auto copy = clone;
  auto taking = parts_.conversations.take_fork(std::move(copy), parent, message, std::move(fork));
  const auto taken = co_await std::move(taking);
  if (!taken) {
    static_cast<void>(co_await parts_.lifecycle.remove(clone.owner, clone.id));
    co_return taken.error();
  }
  // The message names its conversation at the parent.
  const auto row = system_.tenant(clone.owner).get(chat::messages, message);
  if (row)
    co_await parts_.turns.inherit(clone.owner, parent, chat::conversation_of(row->value), clone.id,
                                  chat::first_conversation_id(clone.id));
  co_return co_await parts_.lifecycle.begin_start(clone.owner, clone.id);
}

}  // namespace cloning
