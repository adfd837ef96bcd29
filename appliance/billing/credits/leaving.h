// Whether a user's credits stand in the way of leaving.
#pragma once

#include <optional>

#include "appliance/billing/credits/credits.h"
#include "web/result.h"

namespace credits {

// BALANCE_LEFT while there are any.
std::optional<web::Error> obstacle_to_leaving(const Credits&, store::UserId);

}  // namespace credits
