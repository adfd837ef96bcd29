#include "appliance/hosting/sharing/sharing.h"

#include <algorithm>
#include <map>

#include "appliance/billing/spending/spend_policy.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/email.h"
#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/chat/conversations.h"
#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/groups/groups.h"
#include "store/transact.h"

namespace sharing {

namespace {

constexpr std::size_t id_length = 20, max_found = 1'000, max_of_group = 100'000;

std::string person_of_user(store::UserId user) { return "u" + std::to_string(user); }
std::string person_of_group(std::string_view group) { return "g" + std::string(group); }
std::string person_of_address(std::string_view email) { return "m" + std::string(email); }

// Adds what another share of the same agent allows.
void add(Access& access, const Share& share) {
  if (share.role > access.role) {
    access.role = share.role;
    access.paid_by = share.paid_by;
    access.monthly_limit = share.monthly_limit;
  }
  for (const auto& id : share.conversations)
    if (std::ranges::find(access.conversations, id) == access.conversations.end()) access.conversations.push_back(id);
}

Access access_of(const Share& share) {
  return {.owner = share.owner,
          .agent = share.agent,
          .role = share.role,
          .paid_by = share.paid_by,
          .monthly_limit = share.monthly_limit,
          .conversations = share.conversations};
}

}  // namespace

std::string peer_name(store::UserId user) { return "user:" + std::to_string(user); }

std::string person_key(store::UserId user, std::string_view agent) {
  return std::string(billing::person_prefix) + std::to_string(user) + "/" + std::string(agent);
}

web::Result<std::vector<Share>> Sharing::list(store::UserId owner, const std::string& agent) const {
  if (!agents_.find(owner, agent)) return web::not_found();
  return system_.tenant(owner).find(table, "agent", agent, max_shares);
}

web::Result<std::string> Sharing::person_of(store::UserId owner, const NewShare& share) const {
  if (share.email.empty() == share.group.empty()) return web::invalid("email or group is required");
  if (!share.group.empty()) {
    const auto user = accounts_.find(owner);
    const bool may_name = groups_.has(share.group, owner) || (user && accounts_.is_admin(*user));
    if (!may_name || !groups_.find(share.group)) return web::not_found("No such group");
    return person_of_group(share.group);
  }
  const auto email = agentbox::normalised_email(share.email);
  if (!email) return web::invalid("email must be an e-mail address");
  const auto user = accounts_.find_by_email(*email);
  if (user && user->id == owner) return web::invalid("email is your own");
  const bool is_theirs = user && (user->email_verified || share.takes_unverified);
  return is_theirs ? person_of_user(user->id) : person_of_address(*email);
}

web::Task<web::Result<Share>> Sharing::put(store::UserId owner, std::string agent, NewShare given) {
  if (!agents_.find(owner, agent)) co_return web::not_found();
  auto person = person_of(owner, given);
  if (!person) co_return person.error();
  for (const auto& id : given.conversations) {
    const auto one = conversations_.find(owner, agent, id);
    if (!one || one->audience != chat::Audience::owner)
      co_return web::invalid("conversations must be your own with this agent");
  }
  const auto tenant = system_.tenant(owner);
  const auto step = [&](store::Change& change) -> web::Result<Share> {
    const auto others = tenant.find(table, "agent", agent, max_shares);
    // The address as well: an account may have been made since.
    const auto same = std::ranges::find_if(others, [&](const Share& one) {
      return one.person == *person || (!one.email.empty() && one.email == given.email);
    });
    Share share;
    if (same != others.end())
      share = *same;
    else if (others.size() >= max_shares)
      return web::Error{.kind = web::Kind::too_many, .message = "This agent has too many shares"};
    else
      share.id = "sh_" + crypto::random_id(id_length);
    const auto now = store::now();
    if (share.owner == 0) share.created_at = now;
    share.owner = owner;
    share.agent = agent;
    share.person = *person;
    share.email = given.email;
    share.role = given.role;
    share.paid_by = given.paid_by;
    share.monthly_limit = given.monthly_limit;
    share.conversations = given.conversations;
    share.updated_at = now;
    store::put(change, tenant, table, share);
    return share;
  };
  co_return co_await store::transact(tenant, step);
}

web::Task<web::Result<void>> Sharing::remove(store::UserId owner, std::string agent, std::string id) {
  const auto tenant = system_.tenant(owner);
  const auto step = [&](store::Change& change) -> web::Result<void> {
    const auto row = tenant.get(table, id);
    if (!row || row->value.agent != agent) return web::not_found("No such share");
    change.erase(table, *row);
    return web::Result<void>();
  };
  co_return co_await store::transact(tenant, step);
}

std::vector<Share> Sharing::shares_for(store::UserId user) const {
  std::vector<Share> found = system_.find(table, "person", person_of_user(user), max_found);
  const auto also = [&](const std::string& person) {
    for (auto& share : system_.find(table, "person", person, max_found)) found.push_back(std::move(share));
  };
  const auto account = accounts_.find(user);
  // An address that was only typed gives no rights.
  if (account && account->email_verified) also(person_of_address(account->email));
  for (const auto& group : groups_.of(user)) also(person_of_group(group.id));
  std::erase_if(found, [user](const Share& share) { return share.owner == user; });
  return found;
}

std::optional<Access> Sharing::access(store::UserId user, std::string_view agent) const {
  std::optional<Access> access;
  for (const auto& share : shares_for(user)) {
    if (share.agent != agent) continue;
    if (access)
      add(*access, share);
    else
      access = access_of(share);
  }
  if (access && !agents_.has(access->owner, agent)) return std::nullopt;
  return access;
}

web::Result<Access> Sharing::require(store::UserId user, std::string_view agent, Role role) const {
  auto found = access(user, agent);
  if (!found) return web::not_found();
  if (found->role < role) return web::forbidden("This agent is not shared with you for that");
  const auto owner = accounts_.find(found->owner);
  if (!owner || owner->is_disabled) return web::forbidden("The account of the agent's owner is disabled");
  return std::move(*found);
}

std::vector<Access> Sharing::shared_with(store::UserId user) const {
  std::map<std::string, Access> by_agent;
  for (const auto& share : shares_for(user)) {
    const auto [at, is_new] = by_agent.try_emplace(share.agent, access_of(share));
    if (!is_new) add(at->second, share);
  }
  std::vector<Access> found;
  for (auto& [agent, access] : by_agent)
    if (agents_.has(access.owner, agent)) found.push_back(std::move(access));
  return found;
}

std::optional<billing::SharedTurn> Sharing::turn_of(const web::Caller& agent, std::string_view id) const {
  const auto tenant = system_.tenant(agent.user_id);
  const auto message = tenant.get(chat::messages, id);
  // Only while the answer is on its way, so that no agent spends a person's money at other times.
  if (!message || message->value.agent != agent.agent || message->value.delivery != chat::Delivery::sent) return {};
  const auto one = tenant.get(chat::conversations, message->value.conversation);
  if (!one || one->value.audience != chat::Audience::peer || !one->value.peer_user) return {};
  const bool is_shared = one->value.channel == chat::Channel::console || one->value.channel == chat::Channel::schedule;
  if (!is_shared || one->value.peer != peer_name(*one->value.peer_user)) return {};
  const auto person = *one->value.peer_user;
  const auto found = access(person, agent.agent);
  if (!found) return {};
  return billing::SharedTurn{.payer = found->paid_by == PaidBy::talker ? person : found->owner,
                             .person = person_key(person, agent.agent),
                             .limit = found->monthly_limit};
}

web::Task<> Sharing::forget(store::UserId owner, std::string agent) {
  const auto tenant = system_.tenant(owner);
  for (;;) {
    const auto found = tenant.find(table, "agent", agent, max_shares);
    if (found.empty()) co_return;
    auto change = tenant.change();
    for (const auto& share : found)
      if (const auto row = tenant.get(table, share.id)) change.erase(table, *row);
    co_await change.commit();
  }
}

void Sharing::forget_group(std::string_view group, store::Change& change) const {
  for (const auto& share : system_.find(table, "person", person_of_group(group), max_of_group))
    if (const auto row = system_.get(table, share.owner, share.id)) change.erase(table, *row);
}

web::Task<> Sharing::forget_person(store::UserId user) {
  // Also an address that owners have named, if it was the user's for certain.
  std::string address;
  if (const auto account = accounts_.find(user); account && account->email_verified)
    address = person_of_address(account->email);
  for (;;) {
    auto found = system_.find(table, "person", person_of_user(user), max_found);
    if (found.empty() && !address.empty()) found = system_.find(table, "person", address, max_found);
    if (found.empty()) co_return;
    auto change = system_.change();
    for (const auto& share : found)
      if (const auto row = system_.get(table, share.owner, share.id)) change.erase(table, *row);
    co_await change.commit();
  }
}

}  // namespace sharing
