#include "appliance/network/bus/daily_limit.h"

#include "appliance/billing/usage/period.h"
#include "web/routes/reply.h"

namespace bus {

namespace {

constexpr std::int64_t messages_without_plan = 20;

}  // namespace

std::int64_t messages_a_day(std::optional<billing::Plan> plan) {
  return plan ? billing::limits(*plan).messages_per_day : messages_without_plan;
}

web::Error DailyLimit::Charge::error() const {
  web::Error error{.kind = web::Kind::too_many,
                   .message = "Your plan allows " + std::to_string(limit) + " agent messages a day."};
  error.extra["limit"] = limit;
  error.extra["resetsAt"] = web::iso8601(usage::next_day(at));
  return error;
}

DailyLimit::Charge DailyLimit::add(store::Change& change, store::UserId owner, std::string_view plan) const {
  const auto held = owner == 0 ? std::nullopt : subscriptions_.active(owner);
  const auto current = owner == 0 ? billing::plan_named(plan) : held ? std::optional(held->plan) : std::nullopt;
  const auto now = store::now();
  Charge charge{
      .counter = "bus_messages/" + usage::Period::day(now).name(), .limit = messages_a_day(current), .at = now};
  change.add(owner, store::CounterName{charge.counter}, 1, charge.limit);
  return charge;
}

}  // namespace bus
