#include "appliance/billing/credits/credits.h"

#include "appliance/access/records.h"
#include "appliance/foundation/ordered_id.h"
#include "store/transact.h"

namespace credits {

namespace {

using usage::Money;

const std::string choice_id = Choice{}.id;

std::int64_t field(const store::CounterFields& fields, AccountField at) { return fields[static_cast<std::size_t>(at)]; }

Money sum_of(const store::CounterFields& month, EntryKind kind) {
  return Money::of_units(month[static_cast<std::size_t>(kind)]);
}

Money sum_of(const store::CounterFields& month) {
  Money sum;
  for (const auto units : month) sum += Money::of_units(units);
  return sum;
}

}  // namespace

Balance Credits::balance(store::UserId user) const {
  const auto fields = system_.tally(user, account);
  const auto available = Money::of_units(-field(fields, AccountField::owed));
  return {.available = available, .reserved = Money::of_units(field(fields, AccountField::total)) - available};
}

bool Credits::pays_calls(store::UserId user) const {
  const auto choice = system_.tenant(user).cached(choices, choice_id);
  return choice && choice->pays_calls;
}

web::Task<> Credits::let_pay_calls(store::UserId user, bool pays_calls) {
  const auto tenant = system_.tenant(user);
  const Choice choice{.user_id = user, .pays_calls = pays_calls};
  const auto step = [&](store::Change& change) {
    store::put(change, tenant, choices, choice);
    return true;
  };
  co_await store::transact(tenant, step);
}

web::Task<web::Result<Adjusted>> Credits::adjust(store::UserId user, Adjustment adjustment) {
  if (!system_.get(accounts::users, user)) co_return web::not_found("No such user");
  std::string reference;
  if (!adjustment.key.empty()) reference = "adjustment/" + std::to_string(user) + "/" + adjustment.key;
  if (auto earlier = find_adjustment(reference, adjustment)) co_return std::move(*earlier);
  const auto now = store::now();
  Entry entry{.user_id = user,
              .id = agentbox::ordered_id(now),
              .at = now,
              .kind = EntryKind::adjusted,
              .amount = adjustment.amount.units(),
              .reference = reference,
              .note = adjustment.reason,
              .by = adjustment.by};
  auto change = system_.change();
  add(change, entry);
  const auto outcome = co_await change.commit();
  if (outcome.duplicate("reference")) co_return *find_adjustment(reference, adjustment);
  if (!outcome.ok()) {
    co_return web::conflict("credits must not take more than the user's balance of " +
                            balance(user).available.to_string() + " USD");
  }
  co_return Adjusted{.entry = std::move(entry)};
}

std::optional<web::Result<Adjusted>> Credits::find_adjustment(const std::string& reference,
                                                              const Adjustment& adjustment) const {
  auto row = system_.find_unique(entries, "reference", reference);
  if (!row) return std::nullopt;
  if (row->value.amount == adjustment.amount.units() && row->value.note == adjustment.reason)
    return Adjusted{.entry = std::move(row->value), .is_new = false};
  return web::Error{.kind = web::Kind::conflict,
                    .message = "This idempotencyKey was used for another adjustment",
                    .code = "IDEMPOTENCY_KEY_ALREADY_USED"};
}

std::vector<Entry> Credits::newest(store::UserId user, std::size_t limit, std::string before) const {
  return system_.tenant(user).list(entries, {.limit = limit, .after = std::move(before), .newest_first = true});
}

std::vector<Entry> Credits::listed(store::UserId user, const usage::Period& month) const {
  return system_.tenant(user).find(entries, "month", month.name(), std::size_t(-1));
}

MonthSums Credits::sums(store::UserId user, const usage::Period& month) const {
  for (;;) {
    const auto before = system_.tally(user, account);
    const auto kinds = system_.tally(user, month_counter(month));
    Money since;  // the entries of this month and of those after it
    const auto now = usage::Period::month(store::now()).name();
    for (auto each = month;; each = each.next_month()) {
      since += sum_of(system_.tally(user, month_counter(each)));
      if (each.name() >= now) break;
    }
    // Read again if an entry was added meanwhile: the counters would be of different times.
    const auto after = system_.tally(user, account);
    if (field(before, AccountField::count) != field(after, AccountField::count)) continue;
    const auto opening = Money::of_units(field(after, AccountField::total)) - since;
    return {.opening = opening,
            .closing = opening + sum_of(kinds),
            .bought = sum_of(kinds, EntryKind::bought),
            .referral = sum_of(kinds, EntryKind::referral),
            .spent = sum_of(kinds, EntryKind::spent),
            .refunded = sum_of(kinds, EntryKind::refunded),
            .adjusted = sum_of(kinds, EntryKind::adjusted)};
  }
}

}  // namespace credits
