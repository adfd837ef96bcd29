#include "appliance/hosting/agents/directory.h"

#include "appliance/access/records.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/agents/new_agent.h"

namespace agents {
namespace {

using web::Result;

constexpr std::chrono::milliseconds poll_interval{100};

}  // namespace

bool AgentDirectory::is_user(store::UserId user) const { return system_.get(accounts::users, user).has_value(); }

std::vector<AgentSummary> AgentDirectory::list(store::UserId user) const {
  const store::Page all{.limit = std::size_t(-1)};
  return system_.tenant(user).list(summaries, all);
}

std::uint64_t AgentDirectory::version(store::UserId user) const { return system_.tenant(user).version(summaries); }

std::vector<AgentSummary> AgentDirectory::list_all(std::size_t limit) const {
  std::vector<AgentSummary> found;
  system_.each<AgentSummary>(summaries, [&](const AgentSummary& summary) {
    found.push_back(summary);
    return found.size() < limit;
  });
  return found;
}

std::optional<Agent> AgentDirectory::find(store::UserId owner, std::string_view id) const {
  auto row = system_.tenant(owner).get(records, id);
  if (!row || row->value.desired == desired::removed) return {};
  return std::move(row->value);
}

std::optional<Agent> AgentDirectory::find(std::string_view id) const {
  auto row = system_.find_unique(records, "agent", std::string(id));
  if (!row || row->value.desired == desired::removed) return {};
  return std::move(row->value);
}

Result<Agent> AgentDirectory::resolve(store::UserId user, std::string_view id_or_user) const {
  auto id = std::string(id_or_user);
  if (id == std::to_string(user)) {
    const auto own = list(user);
    if (own.size() > 1)
      return web::invalid("You have " + std::to_string(own.size()) + " agents: name the one you mean by its id.");
    id = own.empty() ? std::string() : own.front().id;
  }
  auto agent = find(user, id);
  if (!agent) return web::not_found();
  return std::move(*agent);
}

web::Task<> AgentDirectory::until_settled(store::UserId owner, std::string id, std::chrono::seconds at_most) const {
  const auto deadline = std::chrono::steady_clock::now() + at_most;
  while (std::chrono::steady_clock::now() < deadline) {
    const auto agent = find(owner, id);
    if (!agent || agent->status != Status::provisioning) co_return;
    co_await web::sleep_for(poll_interval);
  }
}

std::optional<web::Caller> AgentDirectory::caller_of_box_token(std::string_view token) const {
  auto row = system_.find_unique(records, "box_token", crypto::sha256_hex(token));
  if (!row || row->value.desired == desired::removed) return {};
  web::Caller caller;
  caller.user_id = row->value.owner;
  caller.agent = row->value.id;
  caller.credential = "agent:" + row->value.id;
  return caller;
}

std::string AgentDirectory::ai_provider(std::string_view id) const {
  const auto agent = find(id);
  return agent ? std::string(requested_provider(agent->config)) : std::string();
}

}  // namespace agents
