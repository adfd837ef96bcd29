#pragma once

#include <boost/describe.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/agents/directory.h"
#include "appliance/payments/transfers/transfers.h"
#include "appliance/payments/transfers/views.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace transfers {

// What the rows depend on; all of it must outlive them.
struct Services {
  Transfers& transfers;
  wallets::Wallets& wallets;
  const ledger::Ledger& ledger;
  chains::Balances& balances;
  const agents::AgentDirectory& agents;
  gate::Gate& gate;
};

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
  std::optional<web::Prose<0, 1'000>> why;
};
BOOST_DESCRIBE_STRUCT(AgentPaymentRequest, (), (to, amount, idempotencyKey, memo, why))

// /api/wallet/transfer, /transfers, /rules and /agents: for the owner of the wallets.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// /api/agent-payments: for agents, with their own wallet.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace transfers
