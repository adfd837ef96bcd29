// Counter names: usage/<period>/<slice>/<figure>, where the slice is all, own-key, agent/<id>, key/<id>, model/<id> or
// tool/<name>, and the figure is one of those below. The cost is in Money::units. Every one of them is a write for each
// call, so there are those that a report reads and no others.
#include "appliance/usage/ledger.h"

#include <cstdio>

#include "appliance/crypto/random.h"

namespace usage {

namespace {

std::string prefix_of(const Period& period, std::string_view slice, std::string_view key = {}) {
  auto prefix = "usage/" + period.name() + "/" + std::string(slice) + "/";
  if (!key.empty()) prefix.append(key).append("/");
  return prefix;
}

void add(store::Change& change, const Call& call, const std::string& name, std::int64_t delta) {
  if (delta != 0) change.add(call.user_id, store::CounterName{name}, delta);
}

// How much was used.
void count(store::Change& change, const Call& call, const std::string& prefix) {
  add(change, call, prefix + "calls", 1);
  add(change, call, prefix + "failed", call.outcome == "ok" ? 0 : 1);
  add(change, call, prefix + "input", call.input_tokens);
  add(change, call, prefix + "output", call.output_tokens);
  add(change, call, prefix + "cached", call.cached_tokens);
  add(change, call, prefix + "reasoning", call.reasoning_tokens);
  add(change, call, prefix + "cost", call.cost);
}

// And how long it took.
void count_times(store::Change& change, const Call& call, const std::string& prefix) {
  add(change, call, prefix + "latency", call.outcome == "ok" ? call.latency_ms : 0);
  add(change, call, prefix + "streamed", call.first_token_ms > 0 ? 1 : 0);
  add(change, call, prefix + "first", call.first_token_ms);
}

// The agents, keys, models and tools of a call: "model/<id>".
std::vector<std::string> names_of(const Call& call) {
  std::vector<std::string> names{"model/" + call.model};
  if (!call.agent.empty()) names.push_back("agent/" + call.agent);
  if (!call.key.empty()) names.push_back("key/" + call.key);
  for (const auto& tool : call.tools) names.push_back("tool/" + tool);
  return names;
}

// The row and its counters.
void keep(store::Change& change, const Call& call) {
  change.insert(calls, call);
  const auto day = Period::day(call.at), month = Period::month(call.at);
  for (const auto& period : {day, month}) {
    const auto prefix = prefix_of(period, call.own_key ? "own-key" : "all");
    count(change, call, prefix);
    count_times(change, call, prefix);
  }
  for (const auto& name : names_of(call)) count(change, call, prefix_of(month, name));
  if (!call.agent.empty()) count(change, call, prefix_of(day, "agent", call.agent));
}

// What `used` is more, or less, than what was reserved for the same call.
Call beyond(const Call& reserved, const Call& used) {
  auto difference = used;
  difference.input_tokens -= reserved.input_tokens;
  difference.output_tokens -= reserved.output_tokens;
  difference.cost -= reserved.cost;
  return difference;
}

// Another call has added a name that this one wanted to add: trying again finds it there.
bool is_a_name(const store::Outcome& outcome) { return outcome.duplicate("id"); }

std::string new_id(store::Time at) {
  char stamp[24];
  std::snprintf(stamp, sizeof stamp, "%013lld-", static_cast<long long>(at.time_since_epoch().count()));
  return stamp + crypto::random_id(12);
}

}  // namespace

web::Task<> Ledger::record(Call call) {
  call.id = new_id(call.at);
  for (;;) {
    auto change = system_.change();
    keep(change, call);
    spend(change, call);
    add_names(change, call);
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return;
    if (!is_a_name(outcome)) throw std::logic_error("usage row " + call.id + " was refused by the store");
  }
}

web::Task<std::optional<std::size_t>> Ledger::reserve(Call& most, const std::vector<Limit>& limits) {
  most.id = new_id(most.at);
  auto change = system_.change();
  change.insert(reservations, most);
  spend(change, most, limits);
  const auto outcome = co_await change.commit();
  if (outcome.ok()) co_return std::nullopt;
  std::optional<std::size_t> met;
  for (std::size_t at = 0; at < limits.size(); ++at) {
    const bool named = limits[at].counter == outcome.index;
    if (named && (!met || limits[at].most < limits[*met].most)) met = at;
  }
  if (!met) throw std::logic_error("the reservation " + most.id + " was refused by the store");
  co_return met;
}

web::Task<> Ledger::settle(Call used) {
  for (;;) {
    const auto reserved = system_.get(reservations, used.user_id, used.id);
    if (!reserved) throw std::logic_error("the reservation " + used.id + " is gone");
    used.at = reserved->value.at;
    auto change = system_.change();
    change.erase(reservations, *reserved);
    spend(change, beyond(reserved->value, used));
    keep(change, used);
    add_names(change, used);
    const auto outcome = co_await change.commit(store::Durability::relaxed);
    if (outcome.ok()) co_return;
    if (!is_a_name(outcome)) throw std::logic_error("the reservation " + used.id + " was settled twice");
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
    keep(change, call);
    add_names(change, call);
    if (!change.commit_blocking().ok()) throw std::logic_error("the reservation " + call.id + " was settled twice");
  }
  return left.size();
}

Totals Ledger::totals(store::UserId user, const Period& period) const { return read(user, prefix_of(period, "all")); }

Totals Ledger::own_key_totals(store::UserId user, const Period& period) const {
  return read(user, prefix_of(period, "own-key"));
}

Totals Ledger::agent_totals(store::UserId user, std::string_view agent, const Period& period) const {
  return read(user, prefix_of(period, "agent", agent));
}

Totals Ledger::model_totals(store::UserId user, std::string_view model, const Period& month) const {
  return read(user, prefix_of(month, "model", model));
}

std::map<std::string, Totals> Ledger::totals_by(store::UserId user, std::string_view kind, const Period& month) const {
  const auto prefix = month.name() + "/" + std::string(kind) + "/";
  std::map<std::string, Totals> found;
  store::Page page{.limit = 1000, .after = prefix};
  for (;;) {
    const auto names_here = system_.tenant(user).list(names, page);
    for (const auto& name : names_here) {
      if (!name.id.starts_with(prefix)) return found;
      const auto id = name.id.substr(prefix.size());
      const auto totals = read(user, prefix_of(month, kind, id));
      if (totals.calls > 0) found.emplace(id, totals);
    }
    if (names_here.size() < page.limit) return found;
    page.after = names_here.back().id;
  }
}

std::vector<Call> Ledger::newest(store::UserId user, std::size_t limit) const {
  return system_.tenant(user).list(calls, {.limit = limit, .after = {}, .newest_first = true});
}

Totals Ledger::read(store::UserId user, const std::string& prefix) const {
  const auto figure = [&](const char* name) { return system_.counter(user, store::CounterName{prefix + name}); };
  return {.calls = figure("calls"),
          .failed = figure("failed"),
          .input_tokens = figure("input"),
          .output_tokens = figure("output"),
          .cached_tokens = figure("cached"),
          .reasoning_tokens = figure("reasoning"),
          .cost = Money::of_units(figure("cost")),
          .latency_ms = figure("latency"),
          .streamed = figure("streamed"),
          .first_token_ms = figure("first")};
}

void Ledger::add_names(store::Change& change, const Call& call) {
  for (const auto& text : names_of(call)) {
    const Name name{.user_id = call.user_id, .id = Period::month(call.at).name() + "/" + text};
    if (!is_known(name)) change.insert(names, name);
  }
}

bool Ledger::is_known(const Name& name) {
  constexpr std::size_t most_remembered = 100'000;
  auto key = std::to_string(name.user_id) + " " + name.id;
  {
    const std::lock_guard lock(mutex_);
    if (known_names_.contains(key)) return true;
  }
  if (!system_.get(names, name.user_id, name.id)) return false;
  const std::lock_guard lock(mutex_);
  if (known_names_.size() >= most_remembered) known_names_.clear();
  known_names_.insert(std::move(key));
  return true;
}

}  // namespace usage
