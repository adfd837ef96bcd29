#include "appliance/network/swarms/budget.h"

#include <algorithm>

namespace swarms {

usage::Money Budget::spent(store::UserId user, const std::vector<std::string>& agents, store::Time since) const {
  const auto first = usage::Period::month(since), now = usage::Period::month(store::now());
  usage::Money sum;
  for (const auto& agent : agents) {
    sum += ledger_.agent_totals(user, agent, first).cost;
    if (now.name() != first.name()) sum += ledger_.agent_totals(user, agent, now).cost;
  }
  return sum;
}

web::Result<std::optional<usage::Money>> Budget::left(web::Caller caller,
                                                      const std::vector<std::string>& agents) const {
  std::optional<usage::Money> least;
  for (const auto& agent : agents) {
    caller.agent = agent;
    const auto payer = policy_.payer_of(caller);
    if (!payer) return payer.error();
    const usage::Call call{.user_id = caller.user_id, .at = store::now(), .agent = agent};
    const auto bounds = policy_.bounds_of(*payer, call);
    for (const auto& limit : bounds.limits) {
      const auto* cap = bounds.cap_of(limit);
      if (limit.field != usage::TallyField::cost || (cap && cap->when_reached == billing::WhenReached::local)) continue;
      const auto rest = usage::Money::of_units(limit.most - ledger_.spent(caller.user_id, limit));
      if (rest <= usage::Money()) return policy_.refusal(bounds, limit, call);
      if (cap && cap->is_default) continue;  // of each agent by itself
      least = least ? std::min(*least, rest) : rest;
    }
  }
  return least;
}

}  // namespace swarms
