#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/billing/credits/credits.h"
#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/audit/audit.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace credits {

// What the rows depend on; all of it must outlive them.
struct Services {
  Credits& credits;
  const accounts::Accounts& accounts;
  audit::Audit& audit;
};

// Amounts are exact decimals of US dollars; a credit is a cent.
struct Account {
  std::int64_t credits = 0;  // whole ones that can be spent
  std::string balance;       // what can be spent
  std::string reserved;      // for model calls in progress
  std::string currency = "USD";
  bool payForCalls = false;  // credits pay for model calls beyond the plan's quota
};
BOOST_DESCRIBE_STRUCT(Account, (), (credits, balance, reserved, currency, payForCalls))

struct AccountChange {
  bool payForCalls = false;
};
BOOST_DESCRIBE_STRUCT(AccountChange, (), (payForCalls))

struct EntryView {
  std::string id;
  store::Time at;
  EntryKind kind;
  std::string amount;  // negative: taken
  std::string note;
  std::optional<std::string> reference, by;
};
BOOST_DESCRIBE_STRUCT(EntryView, (), (id, at, kind, amount, note, reference, by))

struct EntriesQuery {
  std::optional<web::Integer<1, 1'000>> limit;
  std::optional<web::Id> before;
};
BOOST_DESCRIBE_STRUCT(EntriesQuery, (), (limit, before))

struct EntryList {
  std::vector<EntryView> entries;
  std::optional<std::string> next;
};
BOOST_DESCRIBE_STRUCT(EntryList, (), (entries, next))

struct UserEntriesQuery {
  web::Text<1, 20> userId;
  std::optional<web::Integer<1, 1'000>> limit;
  std::optional<web::Id> before;
};
BOOST_DESCRIBE_STRUCT(UserEntriesQuery, (), (userId, limit, before))

struct UserAccount {
  std::string userId;
  Account account;
  std::vector<EntryView> entries;
  std::optional<std::string> next;
};
BOOST_DESCRIBE_STRUCT(UserAccount, (), (userId, account, entries, next))

struct AdjustmentRequest {
  web::Text<1, 20> userId, usd;
  web::Text<1, 500> reason;
  std::optional<web::Text<1, 100>> idempotencyKey;
};
BOOST_DESCRIBE_STRUCT(AdjustmentRequest, (), (userId, usd, reason, idempotencyKey))

struct AdjustmentAnswer {
  bool success = true;
  EntryView entry;
  Account account;
};
BOOST_DESCRIBE_STRUCT(AdjustmentAnswer, (), (success, entry, account))

// /api/credits: the caller's balance and entries, and whether credits pay for model calls.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// /api/admin/credits: those of any user, and adjustments.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace credits
