// Helpers of the usage handlers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "appliance/billing/usage/handlers.h"

namespace usage {

// A user's id, or "demo" for the visitors of the public demo.
std::optional<store::UserId> parse_user(std::string_view text);
std::string user_text(store::UserId);
// The same, of users that exist. invalid: not a user's id; not_found: no such user.
web::Result<store::UserId> find_user(const Services&, std::string_view text);

// The month named in the query, the current one without a name.
web::Result<Period> parse_month(const std::optional<web::Text<1, 20>>& name);

struct CurrentPeriods {
  Period day, month;
};
CurrentPeriods current_periods();

PeriodSummary summary_of(const Totals&, const Period&);
PeriodSummary summary_of(const Ledger&, store::UserId, const Period&);

DailyAnswer daily_answer(const Ledger&, store::UserId, const std::optional<web::Integer<1, 366>>& days);
CallsAnswer calls_page(const Ledger&, store::UserId, CallsQuery);

}  // namespace usage
