// The paid gateway: anybody may buy what a plugin does, without an account, for one payment at a time.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "appliance/foundation/chain/rpc.h"
#include "appliance/identity/site.h"
#include "appliance/payments/acceptance/authorization_charge.h"
#include "appliance/payments/acceptance/balance_charge.h"
#include "appliance/payments/acceptance/challenge.h"
#include "appliance/payments/acceptance/exact.h"
#include "appliance/payments/acceptance/sale.h"
#include "appliance/payments/acceptance/tempo_charge.h"

namespace gateway {

// What a request brings to pay with; empty where it brings nothing.
struct PaymentCredentials {
  std::string_view payment_signature, x_payment;  // the headers of x402, versions 2 and 1
  std::string_view authorization;                 // the part of MPP's Authorization header after its scheme
  std::string_view source;                        // the way of a BalanceSource
  store::UserId user = 0;                         // 0: not signed in
  int x402_version() const { return x_payment.empty() ? 2 : 1; }
  bool is_x402() const { return !payment_signature.empty() || !x_payment.empty(); }
};

// How a sale can be paid.
struct PaymentOptions {
  boost::json::object body;
  std::vector<std::pair<std::string, std::string>> headers;
};

// Callable from every thread; the arguments must outlive it.
class Gateway {
 public:
  struct Tempo {
    std::optional<crypto::EthereumAddress> token, receiver;
    chain::Rpc& rpc;
    bool is_offered() const { return rpc.is_configured() && token && receiver; }
  };
  Gateway(x402::Exact& exact, Tempo tempo, AuthorizationCharge* by_authorization, TempoCharge& by_tempo,
          BalanceCharge& by_balance, const mpp::Challenges& challenges, const agentbox::Site& site,
          std::string card_checkout)
      : exact_(exact),
        tempo_(std::move(tempo)),
        by_authorization_(by_authorization),
        by_tempo_(by_tempo),
        by_balance_(by_balance),
        challenges_(challenges),
        site_(site),
        card_checkout_(std::move(card_checkout)) {}

  // Charges what was presented. Errors: those of sale.h; invalid for a malformed payment of x402, bad_request for a
  // method of MPP that is not offered; unauthenticated for a source without a session.
  web::Task<web::Result<SaleReceipt>> charge(PaymentCredentials, const Sale&);
  // Of the chain on which x402 is settled; 0 without one.
  std::uint64_t chain_id() const { return exact_.can_settle() ? exact_.token().rpc().chain_id() : 0; }
  // Every way that the box is configured for. `user`: 0: not signed in.
  web::Task<PaymentOptions> offer(const Sale&, store::UserId user);

 private:
  web::Task<web::Result<SaleReceipt>> charge_x402(const PaymentCredentials&, const Sale&);
  web::Task<web::Result<SaleReceipt>> charge_mpp(std::string_view encoded, const Sale&);
  web::Task<web::Result<SaleReceipt>> charge_mpp_evm(const mpp::Credential&, const Sale&);

  // An offer in the making.
  struct Draft {
    PaymentOptions offer;
    boost::json::array ways;
    std::vector<mpp::Challenge> challenges;
  };
  void offer_account(store::UserId, Draft&) const;
  // x402, and MPP's method `evm`. False: the chain cannot be asked.
  web::Task<bool> offer_on_chain(const Sale&, Draft&);
  mpp::Challenge challenge(std::string method, const boost::json::object& request, const Sale&) const;
  boost::json::object tempo_request(const Sale&) const;

  x402::Exact& exact_;
  const Tempo tempo_;
  AuthorizationCharge* const by_authorization_;  // null: exact_ cannot settle
  TempoCharge& by_tempo_;
  BalanceCharge& by_balance_;
  const mpp::Challenges& challenges_;
  const agentbox::Site& site_;
  const std::string card_checkout_;  // path where a card buys credits; empty: nowhere
};

}  // namespace gateway
