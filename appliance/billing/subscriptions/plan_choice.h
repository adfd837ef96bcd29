// A plan that a request names.
#pragma once

#include <string>
#include <string_view>

#include "appliance/billing/subscriptions/plans.h"
#include "web/result.h"

namespace billing {

// invalid, naming the field, for what is no plan; payment_required with PLAN_REQUIRED for the deprecated free one.
// `others`: what the caller takes beside plans, for the sentence.
inline web::Result<Plan> plan_of_request(std::string_view name, std::string_view field, std::string_view others = {}) {
  if (const auto plan = plan_named(name)) return *plan;
  if (name != "free")
    return web::invalid(std::string(field) + " must be one of: label, solo, collective, network" +
                        (others.empty() ? "" : ", ") + std::string(others));
  return web::Error{.kind = web::Kind::payment_required,
                    .message = "A paid plan is required: label, solo, collective or network.",
                    .code = "PLAN_REQUIRED"};
}

}  // namespace billing
