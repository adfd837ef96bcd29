// Whether money on the box's ledger stands in the way of a user's leaving.
#pragma once

#include <optional>
#include <vector>

#include "appliance/hosting/agents/records.h"
#include "appliance/payments/ledger/ledger.h"
#include "web/result.h"

namespace ledger {

// BALANCE_LEFT while the user or one of these agents has any.
std::optional<web::Error> obstacle_to_leaving(const Ledger&, store::UserId, const std::vector<agents::AgentSummary>&);

}  // namespace ledger
