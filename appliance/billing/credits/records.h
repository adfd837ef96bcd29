// What is stored about credits: the entries of each user's account, and whether credits may pay for model calls.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "appliance/billing/usage/money.h"
#include "appliance/billing/usage/period.h"
#include "store/table.h"

namespace credits {

// One credit buys a US cent of model usage at catalogue prices, whatever currency it was bought in.
inline constexpr usage::Money credit = usage::Money::of_units(10'000'000'000);

// In the order of the fields of a month's counter (account.h): append only.
BOOST_DEFINE_ENUM_CLASS(EntryKind, bought, referral, spent, refunded, adjusted)

struct Entry {
  std::int64_t user_id = 0;
  std::string id;  // ordered by time (agentbox::ordered_id); of a model call: the call's id
  store::Time at{};
  EntryKind kind = EntryKind::adjusted;
  std::int64_t amount = 0;  // Money::units; negative: taken from the account
  // What caused it, which can happen once: "stripe/cs_...", "referral/17"; empty for model calls.
  std::string reference;
  std::string note;  // spent: the model; bought: what; adjusted: the reason
  std::string by;    // adjusted: the administrator
};
BOOST_DESCRIBE_STRUCT(Entry, (), (user_id, id, at, kind, amount, reference, note, by))

// The entries of a month, except for those of model calls, of which there are many.
inline std::optional<std::string> listed_month(const Entry& entry) {
  if (entry.kind == EntryKind::spent) return std::nullopt;
  return store::index_value(usage::Period::month(entry.at).name());
}

inline const store::Owned<Entry> entries{
    {.family = "credit_entries", .number = 116},
    &Entry::user_id,
    &Entry::id,
    {store::unique<Entry>(1, "reference", &Entry::reference), {2, "month", false, true, listed_month}}};

struct Choice {
  std::int64_t user_id = 0;
  std::string id = "choice";  // record id within the owner; there is one
  bool pays_calls = false;    // credits pay for model calls beyond the plan's quota
};
BOOST_DESCRIBE_STRUCT(Choice, (), (user_id, id, pays_calls))

inline const store::Owned<Choice> choices{
    {.family = "credit_choices", .number = 117}, &Choice::user_id, &Choice::id, {}};

}  // namespace credits
