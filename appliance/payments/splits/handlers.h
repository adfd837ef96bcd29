#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/agents/directory.h"
#include "appliance/payments/splits/splits.h"
#include "appliance/payments/wallets/balances.h"
#include "appliance/payments/wallets/wallets.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace splits {

// What the rows depend on; all of it must outlive them.
struct Services {
  Splits& splits;
  wallets::Wallets& wallets;
  const ledger::Ledger& ledger;
  chains::Networks& networks;
  chains::Balances& balances;
  const agents::AgentDirectory& agents;
};

struct WalletRequest {
  boost::json::value userId;  // a number or its text
  web::Id agentId;
};
BOOST_DESCRIBE_STRUCT(WalletRequest, (), (userId, agentId))

struct WalletAnswer {
  std::string address, agentId;
  boost::json::value userId;  // as it was sent
};
BOOST_DESCRIBE_STRUCT(WalletAnswer, (), (address, agentId, userId))

struct UserQuery {
  web::Text<1, 20> userId;
};
BOOST_DESCRIBE_STRUCT(UserQuery, (), (userId))

struct BalanceAnswer {
  std::string address;
  double balance_usdc = 0;
  std::string source;
};
BOOST_DESCRIBE_STRUCT(BalanceAnswer, (), (address, balance_usdc, source))

struct SplitRequest {
  struct Part {
    web::Text<1, 64> address;
    web::Number share;
    BOOST_DESCRIBE_CLASS(Part, (), (address, share), (), ())
  };
  boost::json::value userId;
  web::Id agentId;
  web::Text<1, 64> fromAddress;
  web::Text<1, 200> name;
  web::Text<1, 40> totalAmount;
  web::List<Part, 1, max_recipients> recipients;
  std::optional<web::Text<1, 100>> idempotencyKey;
};
BOOST_DESCRIBE_STRUCT(SplitRequest, (), (userId, agentId, fromAddress, name, totalAmount, recipients, idempotencyKey))

struct SplitAnswer {
  bool success = true;
  std::int64_t splitId = 0;
  Status status = Status::queued;
};
BOOST_DESCRIBE_STRUCT(SplitAnswer, (), (success, splitId, status))

struct SplitsQuery {
  web::Text<1, 20> userId;
  std::optional<web::Integer<1, 1000>> limit;
  std::optional<web::Integer<1, 999'999'999'999>> before;
};
BOOST_DESCRIBE_STRUCT(SplitsQuery, (), (userId, limit, before))

struct RecipientView {
  std::string address;
  double share = 0;
  payments::Usdc amount;
};
BOOST_DESCRIBE_STRUCT(RecipientView, (), (address, share, amount))

struct SplitView {
  std::int64_t splitId = 0;
  Status status = Status::queued;
  std::string agentId, name, fromAddress;
  payments::Usdc totalAmount;
  std::vector<RecipientView> recipients;
  std::optional<std::string> reason;
  std::vector<std::string> transactions;
  store::Time createdAt, updatedAt;
};
BOOST_DESCRIBE_STRUCT(SplitView, (),
                      (splitId, status, agentId, name, fromAddress, totalAmount, recipients, reason, transactions,
                       createdAt, updatedAt))

struct SplitList {
  std::vector<SplitView> splits;
  std::optional<std::int64_t> next;
};
BOOST_DESCRIBE_STRUCT(SplitList, (), (splits, next))

// /api/underground/wallets and /splits.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace splits
