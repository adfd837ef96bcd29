#include "appliance/payments/acceptance/facilitator.h"

#include <stdexcept>

#include "appliance/billing/usage/period.h"
#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/chain/uint256.h"
#include "appliance/payments/acceptance/authorization_settlement.h"

namespace x402 {

namespace {

using eip3009::Refusal;
using spent_credentials::State;

web::Error no_chain() {
  return web::unavailable("This box settles no payments: set L2_RPC_URL, and USDC_ADDRESS if its chain is not known");
}

Settlement failed(Refusal refusal, std::string payer) {
  return {.success = false,
          .reason = std::move(refusal.reason),
          .transaction = {},
          .payer = std::move(payer),
          .amount = {}};
}

store::CounterName counter_of(const std::string& day) { return {"x402_settled/" + day}; }

}  // namespace

std::optional<Refusal> Facilitator::too_little(const Read& read) const {
  if (read.due.value >= chain::word(static_cast<std::uint64_t>(rules_.least.micro()))) return std::nullopt;
  return Refusal{.reason = "invalid_payment_requirements",
                 .message = "This facilitator settles amounts from " + rules_.least.to_string() + " USDC on."};
}

web::Result<void> Facilitator::check_plan(store::UserId user) const {
  if (!rules_.plan) return {};
  const auto held = subscriptions_.active(user);
  if (held && billing::covers(held->plan, *rules_.plan)) return {};
  return web::Error{.kind = web::Kind::payment_required,
                    .message = "Settling payments needs the plan " + std::string(billing::to_string(*rules_.plan)) +
                               " or a larger one",
                    .code = "PLAN_REQUIRED"};
}

web::Task<web::Result<void>> Facilitator::count(store::UserId user) {
  auto change = system_.tenant(user).change();
  change.add(user, counter_of(usage::Period::day(store::now()).name()), 1, rules_.daily);
  const auto outcome = co_await change.commit();
  if (outcome.ok()) co_return web::Result<void>();
  web::Error error{.kind = web::Kind::too_many,
                   .message = "The limit of " + std::to_string(rules_.daily) + " settlements a day is reached",
                   .code = "DAILY_LIMIT_REACHED"};
  error.extra["limit"] = rules_.daily;
  co_return error;
}

std::optional<Refusal> Facilitator::read(const FacilitatorOrder& order, std::optional<Read>& read) const {
  const auto payload = parse_payload(order.payload);
  if (!payload) return Refusal{.reason = "invalid_payload", .message = payload.error().message};
  const auto required = parse_requirements(order.requirements, order.version, chain_id());
  constexpr auto wrong_requirements = "invalid_payment_requirements";
  if (!required) return Refusal{.reason = wrong_requirements, .message = required.error().message};
  if (payload->version != order.version)
    return Refusal{.reason = "invalid_x402_version", .message = "The payload is of another version."};
  if (required->asset != exact_.token().address())
    return Refusal{.reason = wrong_requirements,
                   .message = "This facilitator settles " + exact_.token().address().checksummed() + " only."};
  if (auto wrong = mismatch(*payload, *required))
    return Refusal{.reason = wrong_requirements, .message = std::move(*wrong)};
  auto value = chain::word_of_digits(required->amount);
  if (!value || *value == std::string(chain::word_bytes, '\0'))  // one of nothing would cost the box its gas
    return Refusal{.reason = wrong_requirements, .message = "The amount must be a whole number in digits, above 0."};
  read = Read{.authorization = payload->authorization,
              .due = {.receiver = required->pay_to, .value = std::move(*value)},
              .amount = required->amount};
  return too_little(*read);
}

web::Task<web::Result<Verdict>> Facilitator::verify(FacilitatorOrder order) {
  if (!is_open()) co_return no_chain();
  std::optional<Read> payment;
  if (auto refusal = read(order, payment)) co_return Verdict{.refusal = std::move(refusal), .payer = {}};
  auto refusal = co_await eip3009::verify(exact_.token(), payment->authorization, payment->due, store::now());
  if (!refusal) co_return refusal.error();
  co_return Verdict{.refusal = std::move(*refusal), .payer = payment->authorization.from.checksummed()};
}

web::Task<web::Result<Settlement>> Facilitator::settle(FacilitatorOrder order, store::UserId user) {
  if (!is_open()) co_return no_chain();
  std::optional<Read> payment;
  if (const auto allowed = check_plan(user); !allowed) co_return allowed.error();
  if (auto refusal = read(order, payment)) co_return failed(std::move(*refusal), {});
  co_return co_await settle(std::move(*payment), user);
}

web::Task<web::Result<Settlement>> Facilitator::settle(Read payment, store::UserId user) {
  auto& token = exact_.token();
  const auto& authorization = payment.authorization;
  const auto payer = authorization.from.checksummed();
  const Refusal used{.reason = "invalid_exact_evm_nonce_already_used", .message = "This payment was used before."};
  auto id = spent_credentials::of_authorization(token.network(), token.address().lower_case(),
                                                authorization.from.lower_case(), chain::to_hex(authorization.nonce));
  const spent_credentials::SpentCredentials::Exclusive working(spent_, id);
  auto row = spent_.find(id);
  const auto purpose = "settlement for user " + std::to_string(user);
  const bool is_left = row && row->value.state == State::settling && row->value.purpose == purpose &&
                       row->value.amount == payment.amount;
  if (!working || (row && !is_left)) co_return failed(used, payer);
  // One that was submitted before may be on the chain by now, where it counts as used, or has expired.
  if (!row) {
    auto refusal = co_await eip3009::verify(token, authorization, payment.due, store::now());
    if (!refusal) co_return refusal.error();
    if (*refusal) co_return failed(std::move(**refusal), payer);
    if (const auto counted = co_await count(user); !counted) co_return counted.error();
    spent_credentials::Credential claimed{.id = std::move(id),
                                          .state = State::settling,
                                          .way = "facilitator",
                                          .payer = authorization.from.lower_case(),
                                          .amount = payment.amount,
                                          .purpose = purpose};
    row = co_await spent_.claim(std::move(claimed));
  }
  if (!row) co_return failed(used, payer);
  const auto settled = co_await eip3009::settle(exact_.submitter(), token, authorization);
  if (settled.state == eip3009::Settled::State::never) {
    co_await spent_.release(*row);
    co_return failed({.reason = settled.reason, .message = {}}, payer);
  }
  if (settled.state == eip3009::Settled::State::pending)
    co_return web::unavailable("The payment is sent and not in a block yet: ask again", settled.detail);
  row->value.transaction = spent_credentials::of_transaction(token.network(), settled.transaction);
  if (!co_await spent_.move(*row, State::spent)) throw std::logic_error("a payment in use was changed");
  co_return Settlement{
      .success = true, .reason = {}, .transaction = settled.transaction, .payer = payer, .amount = payment.amount};
}

}  // namespace x402
