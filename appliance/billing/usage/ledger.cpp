#include "appliance/billing/usage/ledger.h"

#include "appliance/billing/credits/account.h"
#include "appliance/foundation/ordered_id.h"

namespace usage {

namespace {

// Adds the row and its counters. All amounts except `rest` were reserved before.
void store_call(store::Change& change, const Call& call, Amounts rest) {
  change.insert_new(calls, call);
  count(change, call, rest);
}

// Charges the user's credits with what the call used of those set aside.
void charge_credits(store::Change& change, const Call& call, std::int64_t reserved) {
  if (reserved == 0) return;
  const credits::Entry spent{.user_id = call.user_id,
                             .id = call.id,
                             .at = call.at,
                             .kind = credits::EntryKind::spent,
                             .amount = -call.credits,
                             .reference = {},
                             .note = call.model,
                             .by = {}};
  credits::settle(change, spent, Money::of_units(reserved));
}

// A concurrent call added the same name; a retry will find it.
bool is_name_conflict(const store::Outcome& outcome) { return outcome.duplicate("id"); }

}  // namespace

web::Task<> Ledger::record(Call call) {
  call.id = agentbox::ordered_id(call.at);
  for (;;) {
    auto change = system_.change();
    store_call(change, call, Amounts::of(call));
    add_names(change, call);
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return;
    if (!is_name_conflict(outcome)) throw std::logic_error("usage row " + call.id + " was refused by the store");
  }
}

web::Task<std::variant<Reservation, std::size_t>> Ledger::reserve(Call most, const std::vector<Limit>& limits) {
  most.id = agentbox::ordered_id(most.at);
  auto change = system_.change();
  std::string stored = change.insert_new(reservations, most);
  usage::reserve(change, most, limits);
  const auto outcome = co_await change.commit(store::Durability::prompt);
  if (outcome.ok()) co_return Reservation{.most = std::move(most), .stored = std::move(stored)};
  std::optional<std::size_t> met;
  for (std::size_t at = 0; at < limits.size(); ++at) {
    const bool is_met =
        limits[at].tally == outcome.index && static_cast<std::size_t>(limits[at].field) == outcome.field;
    if (is_met && (!met || limits[at].most < limits[*met].most)) met = at;
  }
  if (!met) throw std::logic_error("the reservation " + most.id + " was refused by the store");
  co_return *met;
}

web::Task<> Ledger::settle(Call used, Reservation reserved) {
  const auto rest = Amounts::of(used) - Amounts::of(reserved.most);
  used.id = reserved.most.id;
  used.at = reserved.most.at;
  const auto reserved_credits = reserved.most.credits;
  // The row is not read again: the commit fails if the reservation has changed.
  const store::Row<Call> row{.value = std::move(reserved.most), .stored = std::move(reserved.stored)};
  for (;;) {
    auto change = system_.change();
    change.erase(reservations, row);
    store_call(change, used, rest);
    charge_credits(change, used, reserved_credits);
    add_names(change, used);
    const auto outcome = co_await change.commit(store::Durability::relaxed);
    if (outcome.ok()) co_return;
    if (!is_name_conflict(outcome)) throw std::logic_error("the reservation " + used.id + " is missing or has changed");
  }
}

std::size_t Ledger::settle_leftovers() {
  std::vector<Call> left;
  system_.each(reservations, [&](const Call& call) {
    left.push_back(call);
    return true;
  });
  for (const auto& call : left) {
    const auto row = system_.get(reservations, call.user_id, call.id);
    auto change = system_.change();
    change.erase(reservations, *row);
    store_call(change, call, {});
    charge_credits(change, call, call.credits);
    add_names(change, call);
    if (!change.commit_blocking().ok()) throw std::logic_error("the reservation " + call.id + " was settled twice");
  }
  return left.size();
}

Totals Ledger::totals(store::UserId user, const Period& period) const { return read(user, tally(period, slice::all)); }

Totals Ledger::own_key_totals(store::UserId user, const Period& period) const {
  return read(user, tally(period, slice::own_keys));
}

Totals Ledger::credit_totals(store::UserId user, const Period& month) const {
  return read(user, tally(month, slice::credits));
}

std::int64_t Ledger::quota_used(store::UserId user, const Period& month) const {
  return spent(user, tally(month, slice::all), TallyField::tokens) - credit_totals(user, month).total_tokens();
}

Totals Ledger::agent_totals(store::UserId user, std::string_view agent, const Period& period) const {
  return read(user, tally(period, slice::agent(agent)));
}

std::map<std::string, Totals> Ledger::totals_by(store::UserId user, std::string_view kind, const Period& month) const {
  const auto prefix = month.name() + "/" + slice::of(kind, "");
  std::map<std::string, Totals> found;
  store::Page page{.limit = 1000, .after = prefix};
  for (;;) {
    const auto names_here = system_.tenant(user).list(names, page);
    for (const auto& name : names_here) {
      if (!name.id.starts_with(prefix)) return found;
      const auto id = name.id.substr(prefix.size());
      const auto totals = read(user, tally(month, slice::of(kind, id)));
      if (totals.calls > 0) found.emplace(id, totals);
    }
    if (names_here.size() < page.limit) return found;
    page.after = names_here.back().id;
  }
}

std::vector<Call> Ledger::newest(store::UserId user, std::size_t limit, std::string before) const {
  return system_.tenant(user).list(calls, {.limit = limit, .after = std::move(before), .newest_first = true});
}

Totals Ledger::read(store::UserId user, const store::CounterName& name) const {
  const auto fields = system_.tally(user, name);
  const auto field = [&](TallyField at) { return fields[static_cast<std::size_t>(at)]; };
  return {.calls = field(TallyField::all_calls),
          .failed = field(TallyField::failed),
          .input_tokens = field(TallyField::input),
          .output_tokens = field(TallyField::output),
          .cached_tokens = field(TallyField::cached),
          .reasoning_tokens = field(TallyField::reasoning),
          .unpriced = field(TallyField::unpriced),
          .cost = Money::of_units(field(TallyField::paid)),
          .latency_ms = field(TallyField::latency),
          .streamed = field(TallyField::streamed),
          .first_token_ms = field(TallyField::first_token)};
}

void Ledger::add_names(store::Change& change, const Call& call) {
  const auto month = Period::month(call.at).name() + "/";
  for (const auto& slice : named_slices_of(call)) {
    const Name name{.user_id = call.user_id, .id = month + slice};
    if (!is_stored(name)) change.insert(names, name);
  }
}

bool Ledger::is_stored(const Name& name) {
  constexpr std::size_t max_cached_names = 100'000;
  auto key = std::to_string(name.user_id) + " " + name.id;
  {
    const std::lock_guard lock(mutex_);
    if (stored_names_.contains(key)) return true;
  }
  if (!system_.get(names, name.user_id, name.id)) return false;
  const std::lock_guard lock(mutex_);
  if (stored_names_.size() >= max_cached_names) stored_names_.clear();
  stored_names_.insert(std::move(key));
  return true;
}

}  // namespace usage
