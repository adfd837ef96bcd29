#include "appliance/hosting/agent_administration/agent_list.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "web/ascii.h"

namespace agent_administration {

namespace {

using agents::AgentSummary;

// A place in the list: when the agent there was created, and its id.
using Place = std::pair<store::Time, std::string>;

Place place_of(const AgentSummary& agent) { return {agent.created_at, agent.id}; }

std::string text_of(const Place& place) {
  return std::to_string(place.first.time_since_epoch().count()) + "-" + place.second;
}

std::optional<Place> place_named(std::string_view text) {
  std::int64_t at = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data(), end, at);
  if (failed != std::errc() || rest == end || *rest != '-') return std::nullopt;
  return Place{store::Time(std::chrono::milliseconds(at)), std::string(rest + 1, end)};
}

bool contains(std::string_view text, std::string_view part) {
  const auto same = [](char a, char b) { return web::to_lower(a) == web::to_lower(b); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

bool is_meant(const AgentSummary& agent, const AgentFilter& filter) {
  if (filter.owner && agent.owner != *filter.owner) return false;
  if (filter.status && agent.status != *filter.status) return false;
  return filter.text.empty() || agent.id == filter.text || contains(agent.name, filter.text) ||
         contains(agent.subdomain, filter.text);
}

}  // namespace

web::Result<AgentPage> list_agents(const agents::AgentDirectory& directory, const accounts::Accounts& accounts,
                                   const AgentFilter& filter) {
  std::optional<Place> after;
  if (!filter.after.empty()) {
    after = place_named(filter.after);
    if (!after) return web::invalid("after must be the next of another page");
  }
  auto found = directory.list_all(std::numeric_limits<std::size_t>::max());
  std::erase_if(found, [&](const AgentSummary& agent) { return !is_meant(agent, filter); });
  std::ranges::sort(found, std::ranges::greater(), place_of);

  AgentPage page{.total = found.size()};
  auto first = found.begin();
  if (after) first = std::ranges::find_if(found, [&](const AgentSummary& agent) { return place_of(agent) < *after; });
  std::map<store::UserId, std::string> emails;
  for (; first != found.end() && page.agents.size() < filter.limit; ++first) {
    const auto [email, is_new] = emails.try_emplace(first->owner);
    if (is_new && first->owner != 0)
      if (const auto owner = accounts.find(first->owner)) email->second = owner->email;
    page.agents.push_back({std::move(*first), email->second});
  }
  if (first != found.end() && !page.agents.empty()) page.next = text_of(place_of(page.agents.back().agent));
  return page;
}

}  // namespace agent_administration
