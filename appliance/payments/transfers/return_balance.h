#pragma once

#include <string>

#include "appliance/payments/ledger/ledger.h"

namespace transfers {

// Moves what a removed agent holds on the box's ledger to its owner. May be repeated.
web::Task<> return_balance(ledger::Ledger&, store::UserId owner, std::string agent);

}  // namespace transfers
