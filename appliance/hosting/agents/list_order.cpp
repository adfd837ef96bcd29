#include "appliance/hosting/agents/list_order.h"

#include <algorithm>
#include <cstdio>

#include "appliance/foundation/crypto/base64url.h"
#include "web/ascii.h"

namespace agents {
namespace {

// The text by which agents are ordered: unique, since it ends in the id.
std::string key_of(const AgentSummary& agent, const AgentOrder& order) {
  std::string key;
  if (order.by_name) {
    key = "n" + web::lower_case(agent.name);
  } else {
    auto digits = std::to_string(agent.created_at.time_since_epoch().count());
    constexpr std::size_t width = 19;
    key = "c" + std::string(width - std::min(width, digits.size()), '0') + digits;
  }
  return key + '\0' + agent.id;
}

}  // namespace

web::Result<AgentPage> page_of(std::vector<AgentSummary> agents, const AgentOrder& order, std::size_t limit,
                               std::string_view cursor) {
  const auto after = cursor.empty() ? std::string() : crypto::from_base64url(cursor);
  if (!after || (!after->empty() && after->front() != (order.by_name ? 'n' : 'c')))
    return web::invalid("cursor must be the next of a page in the same order");
  using Keyed = std::pair<std::string, AgentSummary>;
  std::vector<Keyed> keyed;
  for (auto& agent : agents) keyed.emplace_back(key_of(agent, order), std::move(agent));
  const auto comes_before = [&](const std::string& a, const std::string& b) {
    return order.is_descending ? b < a : a < b;
  };
  if (!after->empty()) std::erase_if(keyed, [&](const Keyed& one) { return !comes_before(*after, one.first); });
  std::ranges::sort(keyed, comes_before, &Keyed::first);
  AgentPage page;
  for (auto& [key, agent] : keyed) {
    if (page.agents.size() == limit) {
      page.next = crypto::to_base64url(key_of(page.agents.back(), order));
      break;
    }
    page.agents.push_back(std::move(agent));
  }
  return page;
}

}  // namespace agents
