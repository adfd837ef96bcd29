// What becomes of balances on the box's ledger when users leave and agents are removed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/hosting/agents/records.h"
#include "appliance/payments/ledger/ledger.h"
#include "web/result.h"
#include "web/task.h"

namespace ledger {

// BALANCE_LEFT while the user or one of these agents has any money: it stands in the way of leaving.
std::optional<web::Error> obstacle_to_leaving(const Ledger&, store::UserId, const std::vector<agents::AgentSummary>&);

// Moves what a removed agent holds on the box's ledger to its owner. May be repeated.
web::Task<> return_balance(Ledger&, store::UserId owner, std::string agent);

}  // namespace ledger
