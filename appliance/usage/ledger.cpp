// Counter names: usage/<period>/<slice>/<figure>, where the slice is all, agent/<id> or model/<id> and the figure is
// one of those below. The cost is in Money::units.
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

void count(store::Change& change, const Call& call, const std::string& prefix) {
  const auto add = [&](const char* figure, std::int64_t delta) {
    if (delta != 0) change.add(call.user_id, store::CounterName{prefix + figure}, delta);
  };
  add("calls", 1);
  add("failed", call.outcome == "ok" ? 0 : 1);
  add("input", call.input_tokens);
  add("output", call.output_tokens);
  add("cost", call.cost);
}

std::string date_text(store::Time at, bool with_day) {
  const std::chrono::year_month_day date(std::chrono::floor<std::chrono::days>(at));
  char text[32];
  const auto year = static_cast<int>(date.year());
  const auto month = static_cast<unsigned>(date.month()), day = static_cast<unsigned>(date.day());
  if (with_day) {
    std::snprintf(text, sizeof text, "%04d-%02u-%02u", year, month, day);
  } else {
    std::snprintf(text, sizeof text, "%04d-%02u", year, month);
  }
  return text;
}

std::string new_id(store::Time at) {
  char stamp[24];
  std::snprintf(stamp, sizeof stamp, "%013lld-", static_cast<long long>(at.time_since_epoch().count()));
  return stamp + crypto::random_id(12);
}

}  // namespace

Period Period::day(store::Time at) { return Period(date_text(at, true)); }
Period Period::month(store::Time at) { return Period(date_text(at, false)); }

web::Task<> Ledger::record(Call call) {
  call.id = new_id(call.at);
  auto change = system_.change();
  change.insert(calls, call);
  for (const auto& period : {Period::day(call.at), Period::month(call.at)}) {
    count(change, call, prefix_of(period, "all"));
    if (!call.agent.empty()) count(change, call, prefix_of(period, "agent", call.agent));
    count(change, call, prefix_of(period, "model", call.model));
  }
  const auto outcome = co_await change.commit();
  if (!outcome.ok()) throw std::logic_error("usage row " + call.id + " was refused by the store");
}

Totals Ledger::totals(store::UserId user, const Period& period) const { return read(user, prefix_of(period, "all")); }

Totals Ledger::agent_totals(store::UserId user, std::string_view agent, const Period& period) const {
  return read(user, prefix_of(period, "agent", agent));
}

Totals Ledger::model_totals(store::UserId user, std::string_view model, const Period& period) const {
  return read(user, prefix_of(period, "model", model));
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
          .cost = Money::of_units(figure("cost"))};
}

}  // namespace usage
