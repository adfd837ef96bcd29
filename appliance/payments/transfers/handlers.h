#pragma once

#include <boost/describe.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/payments/transfers/routes.h"
#include "appliance/payments/transfers/views.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace transfers {

struct PaymentRequest {
  web::Text<1, 64> to;
  boost::json::value amount;
  std::optional<Token> token;
  std::optional<web::Text<1, 100>> idempotencyKey;
  std::optional<web::Text<0, 200>> memo;
  std::optional<web::Id> agentId;
  std::optional<bool> testnet;
};
BOOST_DESCRIBE_STRUCT(PaymentRequest, (), (to, amount, token, idempotencyKey, memo, agentId, testnet))

struct PageQuery {
  std::optional<web::Integer<1, 1000>> limit;
  std::optional<web::Text<1, 100>> before;
};
BOOST_DESCRIBE_STRUCT(PageQuery, (), (limit, before))

struct TransferList {
  std::vector<TransferView> transfers;
  std::optional<std::string> next;
};
BOOST_DESCRIBE_STRUCT(TransferList, (), (transfers, next))

struct WalletQuery {
  std::optional<web::Id> agentId;
};
BOOST_DESCRIBE_STRUCT(WalletQuery, (), (agentId))

struct RulesRequest {
  std::optional<web::Id> agentId;
  std::optional<web::Text<1, 40>> dailyUsdc, approvalAboveUsdc;
  std::optional<web::List<web::Text<1, 64>, 0, 100>> receivers;
};
BOOST_DESCRIBE_STRUCT(RulesRequest, (), (agentId, dailyUsdc, approvalAboveUsdc, receivers))

struct AgentWalletView {
  std::string agentId, address, balance, network;
  std::optional<std::string> native;  // balance of the chain's own coin; null on the box's ledger
  std::int64_t balanceAge = 0;        // seconds
  store::Time createdAt;
};
BOOST_DESCRIBE_STRUCT(AgentWalletView, (), (agentId, address, balance, network, native, balanceAge, createdAt))

struct TestWalletView {
  std::string address, balance, native, network;
  std::int64_t balanceAge = 0;  // seconds
  store::Time createdAt;
};
BOOST_DESCRIBE_STRUCT(TestWalletView, (), (address, balance, native, network, balanceAge, createdAt))

struct OwnWalletView {
  AgentWalletView wallet;
  RulesView rules;
  std::vector<TransferView> payments;
};
BOOST_DESCRIBE_STRUCT(OwnWalletView, (), (wallet, rules, payments))

struct AgentPaymentRequest {
  web::Text<1, 64> to;
  boost::json::value amount;
  std::optional<web::Text<1, 100>> idempotencyKey;
  std::optional<web::Text<0, 200>> memo;
};
BOOST_DESCRIBE_STRUCT(AgentPaymentRequest, (), (to, amount, idempotencyKey, memo))

web::Answer pay(const Services&, const web::Request&, PaymentRequest);
web::Answer list_transfers(const Services&, const web::Request&, PageQuery);
web::Answer show_transfer(const Services&, const web::Request&);
web::Answer approve(const Services&, const web::Request&);
web::Answer decline(const Services&, const web::Request&);
web::Answer show_rules(const Services&, const web::Request&, WalletQuery);
web::Answer set_rules(const Services&, const web::Request&, RulesRequest);
web::Answer show_agent_wallet(const Services&, const web::Request&);
web::Answer show_test_wallet(const Services&, const web::Request&);

web::Answer show_own_wallet(const Services&, const web::Request&);
web::Answer pay_as_agent(const Services&, const web::Request&, AgentPaymentRequest);

}  // namespace transfers
