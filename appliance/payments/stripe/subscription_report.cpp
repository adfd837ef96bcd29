#include "appliance/payments/stripe/subscription_report.h"

#include <algorithm>
#include <array>
#include <utility>

namespace payments::stripe {

namespace {

// In the order in which a subscription goes through them: of two reports of one second and kind the later counts.
constexpr std::array<std::string_view, 8> lifecycle{"incomplete", "trialing",           "active",  "past_due", "paused",
                                                    "unpaid",     "incomplete_expired", "canceled"};

std::size_t stage(std::string_view status) {
  return static_cast<std::size_t>(std::ranges::find(lifecycle, status) - lifecycle.begin());
}

// Stripe never revives these.
bool is_over(std::string_view status) { return status == "canceled" || status == "incomplete_expired"; }

bool replaces(std::string_view status, Stamp from, const StripeSubscription& known) {
  if (is_over(status) != is_over(known.status)) return is_over(status);
  if (from != known.status_from) return from > known.status_from;
  return stage(status) > stage(known.status);
}

}  // namespace

void merge(StripeSubscription& known, const SubscriptionReport& report) {
  const Stamp from{.created = report.created, .rank = static_cast<std::int64_t>(report.source)};
  if (known.user_id == 0) known.user_id = report.user_id;
  if (report.status && (known.status.empty() || replaces(*report.status, from, known))) {
    known.status = *report.status;
    known.status_from = from;
  }
  if (!report.item) return;
  const Stamp item_from = report.is_item_current ? from : Stamp{};
  if (std::pair(item_from, *report.item) > std::pair(known.item_from, known.item)) {
    known.item = *report.item;
    known.item_from = item_from;
  }
}

bool is_in_force(std::string_view status) { return status == "active" || status == "trialing" || status == "past_due"; }

}  // namespace payments::stripe
