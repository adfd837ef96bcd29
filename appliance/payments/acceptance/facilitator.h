// The box as a facilitator of x402 for its users' own services: it verifies payments in the chain's USDC and sends
// them.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>

#include "appliance/billing/spent_credentials/spent_credentials.h"
#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/payments/acceptance/exact.h"
#include "appliance/payments/acceptance/verification.h"
#include "appliance/payments/acceptance/x402.h"

namespace x402 {

// A payment and what it should pay, as a service sends them.
struct FacilitatorOrder {
  int version = 2;
  boost::json::object payload, requirements;
};

struct Verdict {
  std::optional<eip3009::Refusal> refusal;
  std::string payer;  // empty if the payment cannot be read
};

// What a user may have settled, for which the box pays the gas.
struct SettlementRules {
  payments::Usdc least;
  std::optional<billing::Plan> plan;  // the least that the user must have; not set: none
  unsigned daily = 0;                 // payments of one user in a day (UTC)
};

// Callable from every thread; the arguments must outlive it.
class Facilitator {
 public:
  Facilitator(Exact& exact, spent_credentials::SpentCredentials& spent, store::System system,
              const billing::Subscriptions& subscriptions, SettlementRules rules)
      : exact_(exact), spent_(spent), system_(std::move(system)), subscriptions_(subscriptions), rules_(rules) {}

  bool is_open() const { return exact_.can_settle(); }
  std::uint64_t chain_id() const { return exact_.token().rpc().chain_id(); }
  std::string signer() const { return exact_.submitter().address(); }

  // Errors: unavailable, without a chain.
  web::Task<web::Result<Verdict>> verify(FacilitatorOrder);
  // Sends the payment, once. Errors: payment_required with PLAN_REQUIRED; too_many with DAILY_LIMIT_REACHED;
  // unavailable, also while its outcome is unknown: it may be asked for again.
  web::Task<web::Result<Settlement>> settle(FacilitatorOrder, store::UserId);

 private:
  struct Read {
    eip3009::Authorization authorization;
    eip3009::PaymentTerms due;
    std::string amount;
  };
  // The refusal of an order that cannot be read, or that is not for this chain and its USDC.
  std::optional<eip3009::Refusal> read(const FacilitatorOrder&, std::optional<Read>&) const;
  web::Task<web::Result<Settlement>> settle(Read, store::UserId);
  std::optional<eip3009::Refusal> too_little(const Read&) const;
  web::Result<void> check_plan(store::UserId) const;
  // Counts one more of today's payments of the user.
  web::Task<web::Result<void>> count(store::UserId);

  Exact& exact_;
  spent_credentials::SpentCredentials& spent_;
  store::System system_;
  const billing::Subscriptions& subscriptions_;
  const SettlementRules rules_;
};

}  // namespace x402
