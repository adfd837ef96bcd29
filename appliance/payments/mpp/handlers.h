#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/payments/mpp/routes.h"
#include "appliance/payments/transfers/views.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace mpp {

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

web::Answer read_wallets(const Services&, const web::Request&, WalletQuery);
web::Answer run_wallet_action(const Services&, const web::Request&, WalletAction);

}  // namespace mpp
