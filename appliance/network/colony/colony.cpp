#include "appliance/network/colony/colony.h"

#include <algorithm>
#include <unordered_map>

#include "web/routes/reply.h"

namespace colony {

namespace json = boost::json;

namespace {

MemberView view_of(const Member& member) {
  const auto& [agent, watch] = member;
  MemberView view{.id = agent.id,
                  .name = agent.name,
                  .status = agent.status,
                  .statusReason = {},
                  .parentId = {},
                  .specialization = {},
                  .watchdog = watch.state,
                  .crashes = watch.crashes,
                  .repairs = watch.repairs,
                  .createdAt = agent.created_at};
  if (!agent.status_reason.empty()) view.statusReason = agent.status_reason;
  if (agent.descent) {
    view.parentId = agent.descent->parent;
    view.specialization = agent.descent->specialization;
    view.generation = agent.descent->generation;
  }
  return view;
}

}  // namespace

std::vector<Member> members_of(const store::Tenant& tenant) {
  const store::Page all{.limit = std::size_t(-1), .after = {}};
  std::unordered_map<std::string, fleet::WatchState> states;
  for (auto& state : tenant.list(fleet::watch_states, all)) states.emplace(state.id, state);
  std::vector<Member> members;
  for (auto& agent : tenant.list(fleet::fleet_agents, all)) {
    auto watch = states[agent.id];
    members.push_back({.agent = std::move(agent), .watch = std::move(watch)});
  }
  std::ranges::sort(members, {}, [](const Member& one) { return std::pair(one.agent.created_at, one.agent.id); });
  return members;
}

AgentCounts counts_of(const std::vector<Member>& members) {
  AgentCounts counts{.total = static_cast<std::int64_t>(members.size())};
  for (const auto& member : members) {
    switch (member.agent.status) {
      case agents::Status::running:
        ++counts.running;
        break;
      case agents::Status::pending:
      case agents::Status::provisioning:
        ++counts.starting;
        break;
      case agents::Status::error:
        ++counts.failed;
        break;
      default:
        ++counts.stopped;
    }
  }
  return counts;
}

std::int64_t deepest_generation(const std::vector<Member>& members) {
  std::int64_t deepest = members.empty() ? 0 : 1;
  for (const auto& member : members)
    if (member.agent.descent) deepest = std::max(deepest, member.agent.descent->generation);
  return deepest;
}

// Clones are younger than their parents, so from the youngest to the oldest each agent's children are complete before
// it is handed to its parent.
json::array tree_of(const std::vector<Member>& members) {
  std::unordered_map<std::string_view, std::size_t> place;
  for (std::size_t at = 0; at < members.size(); ++at) place.emplace(members[at].agent.id, at);
  std::vector<json::array> below(members.size());
  json::array roots;
  for (std::size_t at = members.size(); at-- > 0;) {
    const auto& descent = members[at].agent.descent;
    const auto parent = descent ? place.find(descent->parent) : place.end();
    std::ranges::reverse(below[at]);
    auto node = web::to_json(view_of(members[at]));
    node.as_object()["children"] = std::move(below[at]);
    const bool has_parent = parent != place.end() && parent->second < at;
    (has_parent ? below[parent->second] : roots).push_back(std::move(node));
  }
  std::ranges::reverse(roots);
  return roots;
}

}  // namespace colony
