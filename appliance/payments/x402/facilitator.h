// The box as a facilitator of x402 for its users' own services: it verifies payments in the chain's USDC and sends
// them.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>

#include "appliance/billing/spent_credentials/spent_credentials.h"
#include "appliance/payments/eip3009/verification.h"
#include "appliance/payments/x402/exact.h"
#include "appliance/payments/x402/wire.h"

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

// Callable from every thread; the arguments must outlive it.
class Facilitator {
 public:
  Facilitator(Exact& exact, spent_credentials::SpentCredentials& spent) : exact_(exact), spent_(spent) {}

  bool is_open() const { return exact_.can_settle(); }
  std::uint64_t chain_id() const { return exact_.token().rpc().chain_id(); }
  std::string signer() const { return exact_.submitter().address(); }

  // Errors: unavailable, without a chain.
  web::Task<web::Result<Verdict>> verify(FacilitatorOrder);
  // Sends the payment, once. Errors: unavailable, also while its outcome is unknown: it may be asked for again.
  web::Task<web::Result<Settlement>> settle(FacilitatorOrder, store::UserId);

 private:
  struct Read {
    eip3009::Authorization authorization;
    eip3009::Due due;
    std::string amount;
  };
  // The refusal of an order that cannot be read, or that is not for this chain and its USDC.
  std::optional<eip3009::Refusal> read(const FacilitatorOrder&, std::optional<Read>&) const;
  web::Task<web::Result<Settlement>> settle(Read, store::UserId);

  Exact& exact_;
  spent_credentials::SpentCredentials& spent_;
};

}  // namespace x402
