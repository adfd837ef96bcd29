#include "appliance/billing/usage/tally.h"

#include <algorithm>

namespace usage {

namespace {

// Who is billed and bounded.
std::vector<std::string> payers_of(const Call& call) {
  std::vector<std::string> slices{call.own_key ? "own-key" : "all"};
  if (!call.agent.empty()) slices.push_back("agent/" + call.agent);
  if (!call.key.empty()) slices.push_back("key/" + call.key);
  return slices;
}

// What they used.
std::vector<std::string> things_of(const Call& call) {
  const std::string whose = call.own_key ? "own-" : "";
  std::vector<std::string> slices{whose + "model/" + call.model};
  for (const auto& tool : call.tools) slices.push_back(whose + "tool/" + tool);
  return slices;
}

// Calls on users' own keys are no part of what their plan bounds.
bool is_bounded(std::string_view slice) { return slice != "own-key"; }

// The narrowest bounds on the figures of a tally. What takes nothing of a figure needs no room within its bound, which
// may have been drawn below what was used already.
std::vector<store::Bound> bounds_of(const std::vector<Limit>& limits, const std::string& tally, Amounts most) {
  std::vector<store::Bound> bounds;
  for (const auto& limit : limits) {
    const auto amount = limit.figure == Tallied::cost ? most.cost : most.tokens;
    if (limit.tally != tally || amount == 0) continue;
    const auto figure = static_cast<std::size_t>(limit.figure);
    const auto same = std::ranges::find(bounds, figure, &store::Bound::figure);
    if (same == bounds.end())
      bounds.push_back({.most = limit.most, .figure = figure});
    else
      same->most = std::min(same->most, limit.most);
  }
  return bounds;
}

// In the order of Tallied.
store::CounterFields figures_of(const Call& call, Amounts bounded, bool with_times) {
  const bool is_ok = call.outcome == "ok";
  store::CounterFields figures{bounded.tokens,     bounded.cost,          1,
                               is_ok ? 0 : 1,      call.input_tokens,     call.output_tokens,
                               call.cached_tokens, call.reasoning_tokens, call.cost};
  if (with_times)
    for (const std::int64_t time :
         {is_ok ? call.latency_ms : 0, std::int64_t(call.first_token_ms > 0), call.first_token_ms})
      figures.push_back(time);
  return figures;
}

}  // namespace

store::CounterName tally(const Period& period, std::string_view slice) {
  std::string name;
  name.reserve(7 + period.name().size() + slice.size());
  return {std::move(name.append("usage/").append(period.name()).append("/").append(slice))};
}

void reserve(store::Change& change, const Call& call, const std::vector<Limit>& limits) {
  const auto most = Amounts::of(call);
  const auto payers = payers_of(call);
  for (const auto& period : {Period::day(call.at), Period::month(call.at)}) {
    for (const auto& slice : payers) {
      if (!is_bounded(slice)) continue;
      const auto counter = tally(period, slice);
      change.add(call.user_id, counter, {most.tokens, most.cost}, bounds_of(limits, counter.name, most));
    }
  }
}

void count(store::Change& change, const Call& call, Amounts rest) {
  const auto day = Period::day(call.at), month = Period::month(call.at);
  const auto payers = payers_of(call);
  for (std::size_t at = 0; at < payers.size(); ++at) {
    const auto figures = figures_of(call, is_bounded(payers[at]) ? rest : Amounts(), at == 0);
    change.add(call.user_id, tally(day, payers[at]), figures);
    change.add(call.user_id, tally(month, payers[at]), figures);
  }
  const auto used = figures_of(call, {}, false);
  for (const auto& slice : things_of(call)) change.add(call.user_id, tally(month, slice), used);
}

std::vector<std::string> names_of(const Call& call) {
  auto slices = things_of(call);
  const auto payers = payers_of(call);
  slices.insert(slices.end(), payers.begin() + 1, payers.end());
  return slices;
}

}  // namespace usage
