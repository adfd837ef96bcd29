// Parses the name of a plan in a request.
#pragma once

#include <string>
#include <string_view>

#include "appliance/billing/subscriptions/plans.h"
#include "web/result.h"

namespace billing {

// invalid, naming the field, for an unknown name; payment_required with PLAN_REQUIRED for the deprecated "free".
// `others`: values that the caller accepts besides plans, for the message.
inline web::Result<Plan> plan_of_request(std::string_view name, std::string_view field, std::string_view others = {}) {
  if (const auto plan = plan_named(name)) return *plan;
  if (name != "free")
    return web::invalid(std::string(field) + " must be one of: " + plan_names() + (others.empty() ? "" : ", ") +
                        std::string(others));
  return web::Error{.kind = web::Kind::payment_required,
                    .message = "A paid plan is required: " + plan_names(" or ") + ".",
                    .code = "PLAN_REQUIRED"};
}

}  // namespace billing
