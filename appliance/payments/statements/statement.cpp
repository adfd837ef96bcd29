#include "appliance/payments/statements/statement.h"

#include <algorithm>
#include <array>
#include <map>

#include "appliance/payments/stripe/prices.h"
#include "appliance/payments/stripe/records.h"

namespace payments::statements {

namespace {

using usage::Period;

struct Span {
  store::Time from, to;
};

Span span_of(const Period& month) {
  const int year = std::stoi(month.name().substr(0, 4));
  const auto number = static_cast<unsigned>(std::stoi(month.name().substr(5)));
  const store::Time from{std::chrono::sys_days(std::chrono::year(year) / std::chrono::month(number) / 1)};
  return {.from = from, .to = usage::next_month(from)};
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; });
  return text;
}

// Until now, or the end of the month. A plan from before periods were recorded is known by its subscription alone.
std::vector<PlanLine> plans_of(const billing::Subscriptions& subscriptions, store::UserId user, const Span& month) {
  auto periods = subscriptions.periods(user);
  if (periods.empty()) {
    const auto held = subscriptions.active(user);
    if (held) periods.push_back({.plan = std::string(billing::to_string(held->plan)), .since = held->activated_at});
  }
  const auto end = std::min(month.to, store::now());
  std::vector<PlanLine> lines;
  for (std::size_t at = 0; at < periods.size(); ++at) {
    const auto from = std::max(periods[at].since, month.from);
    const auto to = at + 1 < periods.size() ? std::min(periods[at + 1].since, end) : end;
    const auto plan = billing::plan_named(periods[at].plan);
    if (!plan || from >= to) continue;
    if (!lines.empty() && lines.back().plan == periods[at].plan && lines.back().to == from) {
      lines.back().to = to;
      continue;
    }
    lines.push_back(
        {.plan = periods[at].plan, .from = from, .to = to, .priceGbp = billing::limits(*plan).monthly_price_gbp});
  }
  return lines;
}

// Read again if a call was settled meanwhile: rows and totals would be of different times.
UsagePart usage_of(const usage::Ledger& ledger, store::UserId user, const Period& month) {
  for (;;) {
    const auto total = ledger.totals(user, month), own_total = ledger.own_key_totals(user, month);
    UsagePart part{.models = usage::rows(ledger, user, usage::slice::models, month),
                   .ownKeys = usage::rows(ledger, user, usage::slice::with_own_keys(usage::slice::models), month),
                   .total = usage::totals_view(total),
                   .ownKeysTotal = usage::totals_view(own_total),
                   .paidByCredits = usage::totals_view(ledger.credit_totals(user, month))};
    if (ledger.totals(user, month).calls == total.calls && ledger.own_key_totals(user, month).calls == own_total.calls)
      return part;
  }
}

CreditPart credits_of(const credits::Credits& credits, store::UserId user, const Period& month) {
  const auto sums = credits.sums(user, month);
  CreditPart part{.opening = sums.opening.to_string(),
                  .bought = sums.bought.to_string(),
                  .referral = sums.referral.to_string(),
                  .spent = sums.spent.to_string(),
                  .refunded = sums.refunded.to_string(),
                  .adjusted = sums.adjusted.to_string(),
                  .closing = sums.closing.to_string(),
                  .entries = {}};
  for (const auto& entry : credits.listed(user, month)) {
    part.entries.push_back({.at = entry.at,
                            .kind = entry.kind,
                            .amount = usage::Money::of_units(entry.amount).to_string(),
                            .note = entry.note});
  }
  return part;
}

PaymentLine line_of(const stripe::Payment& payment) {
  const auto item = stripe::Item::named(payment.item);
  return {.id = payment.id,
          .at = payment.at,
          .title = item ? item->title() : "Payment by card",
          .amount = decimal_amount(payment.amount, payment.currency),
          .refunded = decimal_amount(payment.refunded, payment.currency),
          .currency = upper(payment.currency),
          .status = payment.is_paid ? "paid" : "failed"};
}

void add_payments(Statement& statement, const store::System& system, store::UserId user, const Period& month) {
  auto payments = system.tenant(user).find(stripe::received_payments, "month", month.name(), std::size_t(-1));
  std::ranges::stable_sort(payments, {}, &stripe::Payment::at);
  struct Sum {
    std::int64_t paid = 0, refunded = 0;
  };
  std::map<std::string, Sum> sums;
  for (const auto& payment : payments) {
    statement.payments.push_back(line_of(payment));
    if (!payment.is_paid) continue;
    auto& sum = sums[payment.currency];
    sum.paid += payment.amount;
    sum.refunded += payment.refunded;
  }
  for (const auto& [currency, sum] : sums) {
    statement.paymentTotals.push_back({.currency = upper(currency),
                                       .paid = decimal_amount(sum.paid, currency),
                                       .refunded = decimal_amount(sum.refunded, currency)});
  }
}

constexpr std::array<std::string_view, 16> without_decimals{"bif", "clp", "djf", "gnf", "jpy", "kmf", "krw", "mga",
                                                            "pyg", "rwf", "ugx", "vnd", "vuv", "xaf", "xof", "xpf"};
constexpr std::array<std::string_view, 5> with_three{"bhd", "jod", "kwd", "omr", "tnd"};

std::size_t decimals_of(std::string_view currency) {
  if (std::ranges::find(without_decimals, currency) != without_decimals.end()) return 0;
  return std::ranges::find(with_three, currency) != with_three.end() ? 3 : 2;
}

}  // namespace

Statement make_statement(const Sources& sources, const accounts::User& user, const Period& month) {
  Statement statement{.user = {.id = std::to_string(user.id), .email = user.email, .name = user.name},
                      .month = month.name(),
                      .createdAt = store::now(),
                      .plans = plans_of(sources.subscriptions, user.id, span_of(month)),
                      .usage = usage_of(sources.ledger, user.id, month),
                      .credits = credits_of(sources.credits, user.id, month),
                      .payments = {},
                      .paymentTotals = {}};
  add_payments(statement, sources.system, user.id, month);
  return statement;
}

std::string decimal_amount(std::int64_t smallest_units, std::string_view currency) {
  const auto decimals = decimals_of(currency);
  const bool is_negative = smallest_units < 0;
  auto digits = std::to_string(smallest_units).substr(is_negative ? 1 : 0);
  if (digits.size() <= decimals) digits.insert(0, decimals + 1 - digits.size(), '0');
  if (decimals > 0) digits.insert(digits.size() - decimals, ".");
  return (is_negative ? "-" : "") + digits;
}

}  // namespace payments::statements
