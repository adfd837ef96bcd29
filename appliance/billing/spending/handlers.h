#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/billing/spending/cap_policy.h"
#include "appliance/identity/audit/audit.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace billing::spending {

// What the rows depend on; all of it must outlive them.
struct Services {
  const CapPolicy& caps;
  audit::Audit& audit;
};

inline constexpr std::int64_t max_cap_tokens = 1'000'000'000'000'000;

struct NewCap {
  CapScope scope;
  std::optional<web::Text<1, 128>> target;
  CapPeriod period;
  std::optional<web::Integer<0, max_cap_tokens>> tokens;
  std::optional<web::Text<1, 20>> usd;
  std::optional<WhenReached> whenReached;
};
BOOST_DESCRIBE_STRUCT(NewCap, (), (scope, target, period, tokens, usd, whenReached))

struct NewAdminCap {
  std::optional<web::Text<1, 20>> userId;
  CapScope scope;
  std::optional<web::Text<1, 128>> target;
  CapPeriod period;
  std::optional<web::Integer<0, max_cap_tokens>> tokens;
  std::optional<web::Text<1, 20>> usd;
  std::optional<WhenReached> whenReached;
};
BOOST_DESCRIBE_STRUCT(NewAdminCap, (), (userId, scope, target, period, tokens, usd, whenReached))

struct CapsQuery {
  std::optional<web::Text<1, 20>> userId;
};
BOOST_DESCRIBE_STRUCT(CapsQuery, (), (userId))

struct OwnCapsQuery {
  std::optional<web::Text<1, 128>> agent;
};
BOOST_DESCRIBE_STRUCT(OwnCapsQuery, (), (agent))

struct CapView {
  std::string id;
  CapScope scope;
  std::optional<std::string> target;
  CapPeriod period;
  std::optional<std::int64_t> tokens;
  std::optional<std::string> usd;
  WhenReached whenReached;
  bool byAdmin;
  bool isDefault;  // of the plan; nobody has set it
  // Usage in the current period, including reservations of calls in progress. For a cap on a plan: usage of the caller,
  // and null for the administrator. Null for a cap on each agent of a plan.
  std::optional<std::int64_t> usedTokens;
  std::optional<std::string> usedUsd;
  store::Time resetsAt, updatedAt;
};
BOOST_DESCRIBE_STRUCT(CapView, (),
                      (id, scope, target, period, tokens, usd, whenReached, byAdmin, isDefault, usedTokens, usedUsd,
                       resetsAt, updatedAt))

struct CapList {
  std::vector<CapView> caps;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(CapList, (), (caps, count))

struct Removed {
  bool success = true;
  std::string id;
};
BOOST_DESCRIBE_STRUCT(Removed, (), (success, id))

// /api/caps: the caller's caps.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// /api/admin/caps: caps on plans and on any user.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace billing::spending
