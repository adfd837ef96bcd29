#include "appliance/hosting/channels/channels.h"

#include <algorithm>
#include <boost/json.hpp>

#include "appliance/access/records.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/channels/image_secrets.h"
#include "store/transact.h"

namespace channels {

namespace {

constexpr std::size_t id_characters = 20, erased_at_once = 500;

store::Sealed sealed_secrets(const std::string& token, boost::json::object secrets) {
  secrets["token"] = token;
  return {boost::json::serialize(secrets)};
}

// Secrets are texts; the token is not one of those besides it.
web::Result<void> check(const boost::json::object& secrets) {
  constexpr std::size_t max_secrets = 10, max_length = 10'000;
  if (secrets.size() > max_secrets) return web::invalid("secrets has too many members");
  for (const auto& [name, value] : secrets)
    if (!value.is_string() || value.get_string().size() > max_length || name == "token")
      return web::invalid("secrets." + std::string(name) + " must be a text, and the token is given as token");
  return {};
}

void change_secrets(Channel& channel, const ChannelEdit& edit) {
  boost::system::error_code failed;
  auto secrets = boost::json::parse(channel.secrets.clear, failed);
  boost::json::object all;
  if (!failed && secrets.is_object()) all = std::move(secrets.get_object());
  if (edit.token) all["token"] = *edit.token;
  if (edit.secrets)
    for (const auto& [name, value] : *edit.secrets) all[name] = value;
  channel.secrets = {boost::json::serialize(all)};
}

// Rows of a table that belong to the channel by their ids.
template <class R>
web::Task<> erase_rows_of(store::System system, const store::Owned<R>& rows, Channel channel) {
  const auto tenant = system.tenant(channel.owner);
  const auto prefix = channel.id + ".";
  for (;;) {
    auto found = tenant.list(rows, {.limit = erased_at_once, .after = prefix});
    std::erase_if(found, [&](const R& row) { return !(row.*rows.id).starts_with(prefix); });
    if (found.empty()) co_return;
    auto change = tenant.change();
    for (const auto& one : found)
      if (const auto row = tenant.get(rows, one.*rows.id)) change.erase(rows, *row);
    // A concurrent write makes this fail; the next iteration reads them again.
    [[maybe_unused]] const auto outcome = co_await change.commit();
  }
}

}  // namespace

Channels::Channels(store::System system, const agents::AgentDirectory& agents, const groups::Groups& groups,
                   Connections& connections, bool has_images)
    : system_(std::move(system)),
      agents_(agents),
      groups_(groups),
      connections_(connections),
      has_images_(has_images) {}

web::Result<std::vector<Channel>> Channels::list(store::UserId user, const std::string& agent) const {
  if (!agents_.find(user, agent)) return web::not_found();
  auto found = system_.tenant(user).find(table, "agent", agent);
  std::ranges::sort(found, {}, &Channel::created_at);
  return found;
}

web::Result<Channel> Channels::find(store::UserId user, const std::string& agent, const std::string& id) const {
  if (!agents_.find(user, agent)) return web::not_found();
  auto row = system_.tenant(user).get(table, id);
  if (!row || row->value.agent != agent) return web::not_found("No such channel");
  return std::move(row->value);
}

web::Task<web::Result<Channel>> Channels::create(store::UserId user, std::string agent, NewChannel given) {
  if (const auto good = check(given.secrets); !good) co_return good.error();
  Channel sample;
  sample.kind = given.kind;
  sample.secrets = sealed_secrets(given.token, given.secrets);
  sample.options = given.options;
  const auto adapter = make_adapter(sample, connections_.settings());
  if (!adapter) co_return adapter.error();
  co_return co_await insert(user, std::move(agent), std::move(given));
}

web::Task<web::Result<Channel>> Channels::create_provisioned(store::UserId user, std::string agent, NewChannel given) {
  return insert(user, std::move(agent), std::move(given));
}

web::Task<web::Result<Channel>> Channels::insert(store::UserId user, std::string agent_id, NewChannel given) {
  const auto agent = agents_.find(user, agent_id);
  if (!agent) co_return web::not_found();
  if (auto why = why_forbidden(given.kind, *agent); !why.empty()) co_return web::forbidden(std::move(why));
  const auto tenant = system_.tenant(user);
  if (tenant.find(table, "agent", agent_id).size() >= max_channels)
    co_return web::conflict("An agent has at most " + std::to_string(max_channels) + " channels.");
  Channel channel;
  channel.owner = user;
  channel.id = "ch_" + crypto::random_id(id_characters);
  channel.agent = agent_id;
  channel.kind = given.kind;
  channel.secrets = sealed_secrets(given.token, std::move(given.secrets));
  channel.options = std::move(given.options);
  channel.access = given.access;
  channel.created_at = store::now();
  auto change = tenant.change();
  change.insert_new(table, channel);
  co_await change.commit();
  connections_.refresh(user, channel.id);
  co_return channel;
}

web::Task<web::Result<Channel>> Channels::edit(store::UserId user, std::string agent, std::string id,
                                               ChannelEdit edit) {
  if (edit.secrets)
    if (const auto good = check(*edit.secrets); !good) co_return good.error();
  const auto tenant = system_.tenant(user);
  const auto step = [&](store::Change& change) -> web::Result<Channel> {
    auto found = find(user, agent, id);
    if (!found) return found;
    auto row = tenant.get(table, id);
    if (!row) return web::not_found("No such channel");
    auto& channel = row->value;
    const bool has_credentials = edit.token || edit.options || edit.secrets;
    if (edit.token || edit.secrets) change_secrets(channel, edit);
    if (edit.options) channel.options = *edit.options;
    if (has_credentials) {
      const auto adapter = make_adapter(channel, connections_.settings());
      if (!adapter) return adapter.error();
    }
    if (edit.access) channel.access = *edit.access;
    if (edit.allowed) channel.allowed = *edit.allowed;
    if (edit.daily_cap) channel.daily_cap = *edit.daily_cap;
    if (edit.peer_daily_cap) channel.peer_daily_cap = *edit.peer_daily_cap;
    if (edit.is_enabled) channel.is_enabled = *edit.is_enabled;
    if (edit.used_by == TokenUser::image && !(has_images_ && has_image_secrets(channel.kind)))
      return web::invalid(has_images_ ? "usedBy: images know no name for the secrets of this kind"
                                      : "usedBy: agents of this box have no images of their own");
    if (edit.used_by) channel.used_by = *edit.used_by;
    channel.state = State::connecting;
    channel.error.clear();
    change.update(table, *row);
    return channel;
  };
  auto edited = co_await store::transact(tenant, step);
  if (edited) connections_.refresh(user, id);
  co_return edited;
}

web::Task<web::Result<void>> Channels::remove(store::UserId user, std::string agent, std::string id) {
  auto found = find(user, agent, id);
  if (!found) co_return found.error();
  auto erasing = erase(std::move(*found));
  co_await std::move(erasing);
  co_return web::Result<void>();
}

web::Task<> Channels::forget(store::UserId user, std::string agent) {
  for (auto& channel : system_.tenant(user).find(table, "agent", agent)) {
    auto erasing = erase(std::move(channel));
    co_await std::move(erasing);
  }
}

// The channel first: nothing is received or sent after that.
web::Task<> Channels::erase(Channel channel) {
  const auto tenant = system_.tenant(channel.owner);
  for (;;) {
    const auto row = tenant.get(table, channel.id);
    if (!row) break;
    auto change = tenant.change();
    change.erase(table, *row);
    const auto outcome = co_await change.commit();
    if (outcome.ok()) break;
  }
  connections_.refresh(channel.owner, channel.id);
  co_await erase_rows_of(system_, peers, channel);
  co_await erase_rows_of(system_, inbound, channel);
  co_await erase_rows_of(system_, outbound, channel);
  co_await erase_rows_of(system_, invitations, channel);
}

std::string Channels::why_forbidden(Kind kind, const agents::Agent& agent) const {
  const std::string name = boost::describe::enum_to_string(kind, "");
  if (const auto allowed = groups_.channels_of(agent.owner))
    if (std::ranges::find(*allowed, name) == allowed->end())
      return "The groups of the agent's owner do not include this kind of channel.";
  const auto row = system_.get(kind_rules, name);
  if (!row) return {};
  if (row->value.is_off) return "An administrator has switched off this kind of channel.";
  const auto& plans = row->value.plans;
  if (!plans.empty() && std::ranges::count(plans, agent.plan) == 0)
    return "The agent's plan does not include this kind of channel.";
  return {};
}

std::string Channels::why_off(const Channel& channel) const {
  if (!channel.is_enabled) return "Switched off.";
  if (channel.used_by == TokenUser::image) return "The agent's image uses this channel's token.";
  const auto agent = agents_.find(channel.owner, channel.agent);
  if (!agent) return "The agent is being deleted.";
  const auto owner = system_.get(accounts::users, channel.owner);
  if (channel.owner != 0 && (!owner || owner->value.is_disabled))
    return "The account of the agent's owner is disabled.";
  return why_forbidden(channel.kind, *agent);
}

std::vector<KindRule> Channels::rules() const {
  std::vector<KindRule> rules;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<Kind>>([&](auto kind) {
    const auto row = system_.get(kind_rules, std::string(kind.name));
    rules.push_back(row ? row->value : KindRule{.kind = kind.name, .is_off = false, .plans = {}});
  });
  return rules;
}

web::Task<> Channels::set_rule(KindRule rule) {
  const auto step = [&](store::Change& change) {
    store::put(change, system_, kind_rules, rule);
    return true;
  };
  co_await store::transact(system_, step);
  for (const auto& channel : list_all())
    if (boost::describe::enum_to_string(channel.kind, "") == rule.kind) connections_.refresh(channel.owner, channel.id);
}

std::vector<Channel> Channels::list_all() const {
  std::vector<Channel> all;
  system_.each(table, [&](const Channel& channel) {
    all.push_back(channel);
    return true;
  });
  return all;
}

}  // namespace channels
