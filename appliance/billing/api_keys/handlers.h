#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/access/keys.h"
#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/billing/usage/ledger.h"
#include "appliance/identity/audit/audit.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace billing::api_keys {

// What the rows depend on; all of it must outlive them.
struct Services {
  keys::Keys& keys;
  const billing::Subscriptions& subscriptions;
  const usage::Ledger& ledger;
  audit::Audit& audit;
  const store::System& system;
};

struct NewKey {
  web::Text<1, 100> name;
  std::optional<web::Integer<1, 3650>> expiresInDays;
  std::optional<web::Text<1, 20>> budgetUsd;
  std::optional<web::List<web::Text<1, 100>, 0, 100>> tools;
  std::optional<web::List<web::Text<1, 40>, 1, 20>> scopes;
  std::optional<web::List<web::Text<1, 128>, 1, 100>> agents;
};
BOOST_DESCRIBE_STRUCT(NewKey, (), (name, expiresInDays, budgetUsd, tools, scopes, agents))

struct KeyView {
  std::string id, name, prefix;
  store::Time createdAt;
  std::optional<store::Time> lastUsedAt, expiresAt;
  std::optional<std::string> budgetUsd;  // for a calendar month (UTC)
  std::string usedUsd;                   // in this month, including reservations of calls in progress
  std::optional<std::vector<std::string>> tools, scopes, agents;
};
BOOST_DESCRIBE_STRUCT(KeyView, (),
                      (id, name, prefix, createdAt, lastUsedAt, expiresAt, budgetUsd, usedUsd, tools, scopes, agents))

struct CreatedView {
  std::string id, name, prefix, key;
  store::Time createdAt;
  std::optional<store::Time> expiresAt;
  std::optional<std::string> budgetUsd;
  std::optional<std::vector<std::string>> tools, scopes, agents;
};
BOOST_DESCRIBE_STRUCT(CreatedView, (), (id, name, prefix, key, createdAt, expiresAt, budgetUsd, tools, scopes, agents))

struct KeyList {
  std::vector<KeyView> keys;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(KeyList, (), (keys, count))

struct Deleted {
  bool success = true;
  std::string id;
};
BOOST_DESCRIBE_STRUCT(Deleted, (), (success, id))

struct Candidate {
  web::Text<1, 256> apiKey;
};
BOOST_DESCRIBE_STRUCT(Candidate, (), (apiKey))

struct Validity {
  bool valid = true;
  std::string userId;
  std::optional<std::string> plan;
};
BOOST_DESCRIBE_STRUCT(Validity, (), (valid, userId, plan))

// /api/keys: a user's API keys.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace billing::api_keys
