#include "appliance/usage/spend.h"

#include <algorithm>

namespace usage {

namespace {

// The narrowest bound on a counter.
std::optional<std::int64_t> bound_of(const std::vector<Limit>& limits, const std::string& counter) {
  std::optional<std::int64_t> most;
  for (const auto& limit : limits)
    if (limit.counter == counter) most = most ? std::min(*most, limit.most) : limit.most;
  return most;
}

}  // namespace

std::string spend_counter(const Period& period, std::string_view slice, Figure figure) {
  std::string name = "spend/" + period.name() + "/";
  return name.append(slice).append(figure == Figure::tokens ? "/tokens" : "/cost");
}

std::vector<std::string> spend_slices(const Call& call) {
  std::vector<std::string> slices;
  if (!call.own_key) slices.emplace_back("all");
  if (!call.agent.empty()) slices.push_back("agent/" + call.agent);
  if (!call.key.empty()) slices.push_back("key/" + call.key);
  return slices;
}

void spend(store::Change& change, const Call& call, const std::vector<Limit>& limits) {
  for (const auto& period : {Period::day(call.at), Period::month(call.at)}) {
    for (const auto& slice : spend_slices(call)) {
      for (const auto figure : {Figure::tokens, Figure::cost}) {
        const auto amount = figure == Figure::tokens ? call.input_tokens + call.output_tokens : call.cost;
        auto name = spend_counter(period, slice, figure);
        const auto bound = bound_of(limits, name);
        if (amount != 0 || bound) change.add(call.user_id, store::CounterName{std::move(name)}, amount, bound);
      }
    }
  }
}

}  // namespace usage
