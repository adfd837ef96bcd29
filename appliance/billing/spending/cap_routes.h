#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "appliance/billing/spending/caps.h"
#include "appliance/billing/usage/ledger.h"
#include "appliance/identity/guards.h"
#include "web/route.h"

namespace billing {

struct CapRouteParts {
  Caps& caps;
  const usage::Ledger& ledger;
  // Whether there is such a user, agent of the user, key of the user.
  std::function<bool(store::UserId)> is_user;
  std::function<bool(store::UserId, std::string_view)> has_agent, has_key;
  // The plan whose caps bind the user; nothing: none.
  std::function<std::optional<Plan>(store::UserId)> plan_of;
  const agentbox::Guards& guards;
};

// /api/caps on the web: one's own. The parts must outlive the rows.
std::vector<web::Route> cap_web_routes(CapRouteParts);
// /api/admin/caps on the backend: on plans and on any user, beside the user's own.
std::vector<web::Route> cap_admin_routes(CapRouteParts);

}  // namespace billing
