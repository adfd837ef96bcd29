// A user's account of one month: plans, usage by model, credits and payments by card.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/access/records.h"
#include "appliance/billing/credits/credits.h"
#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/billing/usage/ledger.h"
#include "appliance/billing/usage/report.h"
#include "store/store.h"
#include "web/result.h"

namespace payments::statements {

struct Holder {
  std::string id, email, name;
};
BOOST_DESCRIBE_STRUCT(Holder, (), (id, email, name))

struct PlanLine {
  std::string plan;
  store::Time from, to;       // within the month
  std::int64_t priceGbp = 0;  // per month, as the plan is listed
};
BOOST_DESCRIBE_STRUCT(PlanLine, (), (plan, from, to, priceGbp))

// The rows of each list add up to its total in every member.
struct UsagePart {
  std::vector<usage::Row> models, ownKeys;  // ownKeys: with the user's own provider keys, which the box does not bill
  usage::TotalsView total, ownKeysTotal;
  usage::TotalsView paidByCredits;  // part of total
};
BOOST_DESCRIBE_STRUCT(UsagePart, (), (models, ownKeys, total, ownKeysTotal, paidByCredits))

struct CreditLine {
  store::Time at;
  credits::EntryKind kind;
  std::string amount, note;
};
BOOST_DESCRIBE_STRUCT(CreditLine, (), (at, kind, amount, note))

// opening + bought + referral + spent + refunded + adjusted = closing.
struct CreditPart {
  std::string opening, bought, referral, spent, refunded, adjusted, closing;
  std::vector<CreditLine> entries;  // without those of model calls, which `spent` sums up
};
BOOST_DESCRIBE_STRUCT(CreditPart, (), (opening, bought, referral, spent, refunded, adjusted, closing, entries))

struct PaymentLine {
  std::string id;
  store::Time at;
  std::string title, amount, refunded, currency, status;  // paid, failed
};
BOOST_DESCRIBE_STRUCT(PaymentLine, (), (id, at, title, amount, refunded, currency, status))

struct PaymentSum {
  std::string currency, paid, refunded;
};
BOOST_DESCRIBE_STRUCT(PaymentSum, (), (currency, paid, refunded))

struct Statement {
  Holder user;
  std::string month;
  std::string currency = "USD";  // of usage and credits
  store::Time createdAt;
  std::vector<PlanLine> plans;
  UsagePart usage;
  CreditPart credits;
  std::vector<PaymentLine> payments;
  std::vector<PaymentSum> paymentTotals;  // one for each currency
};
BOOST_DESCRIBE_STRUCT(Statement, (), (user, month, currency, createdAt, plans, usage, credits, payments, paymentTotals))

// What statements are made from; all of it must outlive them.
struct Sources {
  store::System system;
  const billing::Subscriptions& subscriptions;
  const usage::Ledger& ledger;
  const credits::Credits& credits;
};

// Exact to the last digit: amounts are those of the counters and entries. Blocks.
Statement make_statement(const Sources&, const accounts::User&, const usage::Period& month);

std::string to_csv(const Statement&);
// A page that prints without styles or scripts.
std::string to_html(const Statement&);

// Amounts in the smallest unit of a currency, as Stripe has them: 1999 of "gbp" is "19.99", 500 of "jpy" is "500".
std::string decimal_amount(std::int64_t smallest_units, std::string_view currency);

}  // namespace payments::statements
