// Channels, people and messages in answers of routes. Tokens are in none.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/hosting/channels/records.h"

namespace channels {

struct ChannelView {
  std::string id;
  Kind kind;
  State state;
  std::optional<std::string> error, identity;  // of the last attempt; the bot at its provider, once known
  std::optional<store::Time> connectedSince;
  boost::json::object options;
  Access access;
  std::vector<std::string> allowed;
  std::int64_t dailyCap = 0, peerDailyCap = 0;
  bool enabled = true;
  TokenUser usedBy = TokenUser::box;
  std::int64_t queued = 0, deadLetters = 0, pending = 0;  // messages out; people who wait for the owner
  std::optional<std::string> eventsUrl;                   // of kinds whose events are pushed
  store::Time createdAt;
};
BOOST_DESCRIBE_STRUCT(ChannelView, (),
                      (id, kind, state, error, identity, connectedSince, options, access, allowed, dailyCap,
                       peerDailyCap, enabled, usedBy, queued, deadLetters, pending, eventsUrl, createdAt))

struct ChannelList {
  std::vector<ChannelView> channels;
  std::int64_t count = 0;
  std::vector<Kind> kinds;  // that an administrator allows
};
BOOST_DESCRIBE_STRUCT(ChannelList, (), (channels, count, kinds))

struct ChannelAnswer {
  bool success = true;
  ChannelView channel;
};
BOOST_DESCRIBE_STRUCT(ChannelAnswer, (), (success, channel))

struct PeerView {
  std::string id, address, name;
  bool group = false;
  Standing standing;
  std::optional<std::int64_t> dailyCap;
  std::optional<std::string> conversationId;  // the current one
  store::Time createdAt, lastMessageAt;
};
BOOST_DESCRIBE_STRUCT(PeerView, (),
                      (id, address, name, group, standing, dailyCap, conversationId, createdAt, lastMessageAt))

struct PeerList {
  std::vector<PeerView> peers;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(PeerList, (), (peers, count))

struct PeerAnswer {
  bool success = true;
  PeerView peer;
};
BOOST_DESCRIBE_STRUCT(PeerAnswer, (), (success, peer))

struct InvitationAnswer {
  bool success = true;
  std::string code;
  std::optional<std::string> url;
  store::Time expiresAt;
};
BOOST_DESCRIBE_STRUCT(InvitationAnswer, (), (success, code, url, expiresAt))

struct DeadLetterView {
  std::string id, chat, text;
  std::optional<std::string> file;
  std::string error;
  std::int64_t attempts = 0;
  store::Time createdAt;
};
BOOST_DESCRIBE_STRUCT(DeadLetterView, (), (id, chat, text, file, error, attempts, createdAt))

struct DeadLetterList {
  std::vector<DeadLetterView> deadLetters;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(DeadLetterList, (), (deadLetters, count))

struct Done {
  bool success = true;
};
BOOST_DESCRIBE_STRUCT(Done, (), (success))

struct TestAnswer {
  bool success = true;
  std::int64_t sent = 0;  // to how many accounts of the owner
};
BOOST_DESCRIBE_STRUCT(TestAnswer, (), (success, sent))

struct AdminChannelView {
  std::string id, agentId, userId;
  Kind kind;
  State state;
  std::optional<std::string> error, identity;
  std::optional<store::Time> connectedSince;
  std::int64_t queued = 0, deadLetters = 0;
};
BOOST_DESCRIBE_STRUCT(AdminChannelView, (),
                      (id, agentId, userId, kind, state, error, identity, connectedSince, queued, deadLetters))

struct AdminChannelList {
  std::vector<AdminChannelView> channels;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(AdminChannelList, (), (channels, count))

struct KindView {
  std::string kind;
  bool enabled = true;
  std::vector<std::string> plans;
};
BOOST_DESCRIBE_STRUCT(KindView, (), (kind, enabled, plans))

struct KindList {
  std::vector<KindView> kinds;
};
BOOST_DESCRIBE_STRUCT(KindList, (), (kinds))

}  // namespace channels
