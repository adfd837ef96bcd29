#include "appliance/billing/usage/tally.h"

#include <algorithm>

#include "appliance/billing/credits/account.h"

namespace usage {

namespace {

// The slices that limits and bills apply to. The first is the user's whole usage.
std::vector<std::string> billed_slices_of(const Call& call) {
  std::vector<std::string> slices{std::string(call.own_key ? slice::own_keys : slice::all)};
  if (!call.agent.empty()) slices.push_back(slice::agent(call.agent));
  if (!call.key.empty()) slices.push_back(slice::key(call.key));
  return slices;
}

// The slices of the model and the tools.
std::vector<std::string> resource_slices_of(const Call& call) {
  const auto kind = [&call](std::string_view name) {
    return call.own_key ? slice::with_own_keys(name) : std::string(name);
  };
  std::vector<std::string> slices{slice::of(kind(slice::models), call.model)};
  for (const auto& tool : call.tools) slices.push_back(slice::of(kind(slice::tools), tool));
  return slices;
}

// Usage of users' own keys does not count towards the limits of their plan.
bool is_limited(std::string_view slice) { return slice != slice::own_keys; }

// The lowest limit on each field of a tally. A field to which the call adds nothing is not limited: the limit may have
// been set below what was used already.
std::vector<store::Bound> bounds_of(const std::vector<Limit>& limits, const std::string& tally, Amounts most) {
  std::vector<store::Bound> bounds;
  for (const auto& limit : limits) {
    const auto amount = limit.field == TallyField::cost ? most.cost : most.tokens;
    if (limit.tally != tally || amount == 0) continue;
    const auto field = static_cast<std::size_t>(limit.field);
    const auto same = std::ranges::find(bounds, field, &store::Bound::field);
    if (same == bounds.end())
      bounds.push_back({.most = limit.most, .field = field});
    else
      same->most = std::min(same->most, limit.most);
  }
  return bounds;
}

// In the order of TallyField.
store::CounterFields fields_of(const Call& call, Amounts limited, bool with_times) {
  const bool is_ok = call.outcome == "ok";
  store::CounterFields fields{limited.tokens,     limited.cost,          1,
                              is_ok ? 0 : 1,      call.input_tokens,     call.output_tokens,
                              call.cached_tokens, call.reasoning_tokens, call.cost};
  if (with_times)
    for (const std::int64_t time :
         {is_ok ? call.latency_ms : 0, std::int64_t(call.first_token_ms > 0), call.first_token_ms})
      fields.push_back(time);
  if (!call.priced && (is_ok || call.input_tokens + call.output_tokens > 0)) {
    while (fields.size() < static_cast<std::size_t>(TallyField::unpriced)) fields.push_back(0);
    fields.push_back(1);
  }
  return fields;
}

}  // namespace

std::string slice::with_own_keys(std::string_view kind) { return "own-" + std::string(kind); }

std::string slice::of(std::string_view kind, std::string_view id) {
  std::string name(kind);
  return name.append("/").append(id);
}

store::CounterName tally(const Period& period, std::string_view slice) {
  std::string name;
  name.reserve(7 + period.name().size() + slice.size());
  return {std::move(name.append("usage/").append(period.name()).append("/").append(slice))};
}

Limit limit_of_credits(std::string name) {
  static_assert(static_cast<std::size_t>(credits::AccountField::owed) == static_cast<std::size_t>(TallyField::cost));
  return {.tally = credits::account.name, .most = 0, .field = TallyField::cost, .name = std::move(name)};
}

void reserve(store::Change& change, const Call& call, const std::vector<Limit>& limits) {
  const auto most = Amounts::of(call);
  if (call.credits > 0) credits::reserve(change, call.user_id, Money::of_units(call.credits));
  const auto billed = billed_slices_of(call);
  for (const auto& period : {Period::day(call.at), Period::month(call.at)}) {
    for (const auto& slice : billed) {
      if (!is_limited(slice)) continue;
      const auto counter = tally(period, slice);
      change.add(call.user_id, counter, {most.tokens, most.cost}, bounds_of(limits, counter.name, most));
    }
  }
}

void count(store::Change& change, const Call& call, Amounts rest) {
  const auto day = Period::day(call.at), month = Period::month(call.at);
  const auto billed = billed_slices_of(call);
  for (std::size_t at = 0; at < billed.size(); ++at) {
    const auto fields = fields_of(call, is_limited(billed[at]) ? rest : Amounts(), at == 0);
    change.add(call.user_id, tally(day, billed[at]), fields);
    change.add(call.user_id, tally(month, billed[at]), fields);
  }
  const auto used = fields_of(call, {}, false);
  for (const auto& slice : resource_slices_of(call)) change.add(call.user_id, tally(month, slice), used);
  if (call.credits > 0) change.add(call.user_id, tally(month, slice::credits), used);
}

std::vector<std::string> named_slices_of(const Call& call) {
  auto slices = resource_slices_of(call);
  const auto billed = billed_slices_of(call);
  slices.insert(slices.end(), billed.begin() + 1, billed.end());
  return slices;
}

}  // namespace usage
