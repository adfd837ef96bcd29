#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/payments/ledger/routes.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace ledger {

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

web::Answer show_account(const Services&, const web::Request&, AccountQuery);
web::Answer credit(const Services&, const web::Request&, IssueRequest);
web::Answer debit(const Services&, const web::Request&, IssueRequest);
web::Answer verify(const Services&, const web::Request&);

}  // namespace ledger
