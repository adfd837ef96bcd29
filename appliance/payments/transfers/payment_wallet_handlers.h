#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/payments/transfers/payment_wallets.h"
#include "appliance/payments/transfers/transfers.h"
#include "appliance/payments/transfers/views.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace payment_wallets {

// What the rows depend on; all of it must outlive them.
struct Services {
  Wallets& wallets;
  transfers::Transfers& transfers;
  const ledger::Ledger& ledger;
  chains::Balances& balances;
};

using Action = web::Text<1, 40>;
using Address = web::Text<1, 64>;

struct WalletQuery {
  Action action;
  std::optional<web::Text<1, 64>> walletId;
};
BOOST_DESCRIBE_STRUCT(WalletQuery, (), (action, walletId))

struct WalletAction {
  Action action;
  std::optional<web::Text<1, 100>> name;
  std::optional<Address> address;
  std::optional<web::Text<1, 64>> walletId;
  std::optional<Address> to;
  std::optional<web::Text<1, 40>> amount;
  std::optional<web::Text<1, 100>> idempotencyKey;
};
BOOST_DESCRIBE_STRUCT(WalletAction, (), (action, name, address, walletId, to, amount, idempotencyKey))

struct WalletView {
  std::string id, name;
  Kind kind;
  std::string address;
  store::Time createdAt;
};
BOOST_DESCRIBE_STRUCT(WalletView, (), (id, name, kind, address, createdAt))

struct WalletList {
  bool success = true;
  std::vector<WalletView> wallets;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(WalletList, (), (success, wallets, count))

struct WalletAnswer {
  bool success = true;
  WalletView wallet;
};
BOOST_DESCRIBE_STRUCT(WalletAnswer, (), (success, wallet))

struct BalanceAnswer {
  bool success = true;
  std::string walletId, address;
  std::string balance;   // decimal text
  std::string currency;  // pathUSD; on the box's ledger USDC
  std::string network;
  std::int64_t balanceAge = 0;  // seconds
};
BOOST_DESCRIBE_STRUCT(BalanceAnswer, (), (success, walletId, address, balance, currency, network, balanceAge))

struct PaymentAnswer {
  bool success = true;
  transfers::TransferView payment;
};
BOOST_DESCRIBE_STRUCT(PaymentAnswer, (), (success, payment))

// /api/agent/mpp: the payment wallets of a user.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace payment_wallets
