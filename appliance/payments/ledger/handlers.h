#pragma once

#include <boost/asio/thread_pool.hpp>
#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/agents/directory.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/payments/ledger/ledger.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace ledger {

// What the rows depend on; all of it must outlive them.
struct Services {
  Ledger& ledger;
  const agents::AgentDirectory& agents;
  audit::Audit& audit;
  boost::asio::thread_pool& blocking;
};

struct AccountQuery {
  web::Text<1, 20> userId;
  std::optional<web::Id> agentId;
  std::optional<web::Integer<1, 1000>> limit;
  std::optional<web::Text<1, 200>> before;
};
BOOST_DESCRIBE_STRUCT(AccountQuery, (), (userId, agentId, limit, before))

struct EntryView {
  std::string id;
  Usdc amount;        // negative: paid
  std::string other;  // the other account: user/<id>, agent/<id>, or the box's own
  std::string reference, memo;
  store::Time at;
};
BOOST_DESCRIBE_STRUCT(EntryView, (), (id, amount, other, reference, memo, at))

struct AccountView {
  Usdc balance;
  std::string network = "ledger";
  std::vector<EntryView> entries;
  std::optional<std::string> next;
};
BOOST_DESCRIBE_STRUCT(AccountView, (), (balance, network, entries, next))

struct IssueRequest {
  web::Text<1, 20> userId;
  std::optional<web::Id> agentId;
  web::Text<1, 40> amount;
  web::Text<1, 100> reference;
  std::optional<web::Text<0, 200>> memo;
};
BOOST_DESCRIBE_STRUCT(IssueRequest, (), (userId, agentId, amount, reference, memo))

struct IssueAnswer {
  bool success = true;
  std::string reference;
  Usdc amount, balance;
  std::string network = "ledger";
};
BOOST_DESCRIBE_STRUCT(IssueAnswer, (), (success, reference, amount, balance, network))

struct VerificationView {
  bool ok = true;
  std::vector<std::string> differences;
};
BOOST_DESCRIBE_STRUCT(VerificationView, (), (ok, differences))

// /api/admin/ledger, for sessions of administrators.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// The same for the internal key.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace ledger
