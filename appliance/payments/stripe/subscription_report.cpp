#include "appliance/payments/stripe/subscription_report.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "appliance/payments/stripe/records.h"

namespace payments::stripe {

namespace {

// In the order in which a subscription goes through them: of two reports of one second and kind the later counts.
constexpr std::array<std::string_view, 8> lifecycle{"incomplete", "trialing",           "active",  "past_due", "paused",
                                                    "unpaid",     "incomplete_expired", "canceled"};

constexpr std::array<std::string_view, 8> dispute_lifecycle{"warning_needs_response",
                                                            "warning_under_review",
                                                            "needs_response",
                                                            "under_review",
                                                            "warning_closed",
                                                            "prevented",
                                                            "lost",
                                                            "won"};

bool is_decided(const Dispute& dispute) {
  return dispute.status == "won" || dispute.status == "lost" || dispute.status == "warning_closed" ||
         dispute.status == "prevented";
}

std::size_t stage(std::string_view status) {
  return static_cast<std::size_t>(std::ranges::find(lifecycle, status) - lifecycle.begin());
}

// Stripe never revives these.
bool has_ended(std::string_view status) { return status == "canceled" || status == "incomplete_expired"; }

bool replaces(std::string_view status, Stamp from, const StripeSubscription& known) {
  if (has_ended(status) != has_ended(known.status)) return has_ended(status);
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

bool is_in_force(const StripeSubscription& subscription) {
  return is_in_force(subscription.status) && !subscription.is_disputed;
}

void merge(Dispute& known, const Dispute& report) {
  const auto order = [](const Dispute& each) {
    const auto at = std::ranges::find(dispute_lifecycle, each.status) - dispute_lifecycle.begin();
    return std::tuple(is_decided(each), each.created, at);
  };
  if (!known.status.empty() && order(report) <= order(known)) return;
  known.status = report.status;
  known.created = report.created;
  known.amount = report.amount;
}

// Inquiries (warning_...) move no money.
bool takes_back(const Dispute& dispute) {
  return dispute.status == "needs_response" || dispute.status == "under_review" || dispute.status == "lost";
}

std::optional<web::Error> obstacle_to_leaving(const store::System& system, store::UserId user) {
  const auto known = system.find(stripe_subscriptions, "user", user);
  if (std::ranges::all_of(known, has_ended, &StripeSubscription::status)) return std::nullopt;
  auto obstacle = web::conflict("A subscription is still being paid at Stripe: cancel it first");
  obstacle.code = "SUBSCRIPTION_ACTIVE";
  return obstacle;
}

}  // namespace payments::stripe
