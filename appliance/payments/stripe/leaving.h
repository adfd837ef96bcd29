// Whether a subscription at Stripe stands in the way of a user's leaving.
#pragma once

#include <optional>

#include "store/store.h"
#include "web/result.h"

namespace payments::stripe {

// SUBSCRIPTION_ACTIVE while Stripe would go on charging the user.
std::optional<web::Error> obstacle_to_leaving(const store::System&, store::UserId);

}  // namespace payments::stripe
