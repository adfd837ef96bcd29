// The channels of agents: creating, changing and removing them, and what administrators allow.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/channels/connections.h"
#include "appliance/hosting/channels/records.h"
#include "appliance/identity/groups/groups.h"

namespace channels {

inline constexpr std::size_t max_channels = 20;  // of an agent

struct NewChannel {
  Kind kind = Kind::telegram;
  std::string token;
  boost::json::object options;
  boost::json::object secrets;  // besides the token
  Access access = Access::pairing;
};

struct ChannelEdit {
  std::optional<std::string> token;
  std::optional<boost::json::object> options;
  std::optional<boost::json::object> secrets;  // those given are replaced
  std::optional<Access> access;
  std::optional<std::vector<std::string>> allowed;
  std::optional<std::int64_t> daily_cap, peer_daily_cap;
  std::optional<bool> is_enabled;
  std::optional<TokenUser> used_by;
};

// Callable from every thread.
class Channels {
 public:
  // All of them must outlive it.
  // `has_images`: agents may run programs of other images.
  Channels(store::System, const agents::AgentDirectory&, const groups::Groups&, Connections&, bool has_images);

  // Errors of all functions: not_found when the agent or the channel is not the user's.
  web::Result<std::vector<Channel>> list(store::UserId, const std::string& agent) const;
  web::Result<Channel> find(store::UserId, const std::string& agent, const std::string& id) const;
  // invalid, naming the field; conflict beyond max_channels; forbidden if an administrator does not allow the kind.
  web::Task<web::Result<Channel>> create(store::UserId, std::string agent, NewChannel);
  // The same without a check of the token: a wrong one is an error of the channel.
  web::Task<web::Result<Channel>> create_provisioned(store::UserId, std::string agent, NewChannel);
  // Connects anew.
  web::Task<web::Result<Channel>> edit(store::UserId, std::string agent, std::string id, ChannelEdit);
  // With its peers and messages; conversations stay with the agent.
  web::Task<web::Result<void>> remove(store::UserId, std::string agent, std::string id);
  // All channels of an agent that is removed.
  web::Task<> forget(store::UserId, std::string agent);

  // Sentence why the channel may not run; empty if it may.
  std::string why_off(const Channel&) const;
  std::vector<KindRule> rules() const;  // of every kind
  web::Task<> set_rule(KindRule);
  std::vector<Channel> list_all() const;

 private:
  web::Task<web::Result<Channel>> insert(store::UserId, std::string agent, NewChannel);
  web::Task<> erase(Channel);
  std::string why_forbidden(Kind, const agents::Agent&) const;

  store::System system_;
  const agents::AgentDirectory& agents_;
  const groups::Groups& groups_;
  Connections& connections_;
  const bool has_images_;
};

}  // namespace channels
