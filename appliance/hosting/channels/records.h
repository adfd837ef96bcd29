// What is stored about channels: the channels, the people who use them, and the messages on their way.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/store.h"

namespace channels {

BOOST_DEFINE_ENUM_CLASS(Kind, telegram, webhook, slack, discord, whatsapp, mail, matrix, xmpp, irc)
// connecting: there was no attempt yet, or the last one failed and another follows. rejected: the provider refused the
// credentials; nothing is tried until they are replaced. off: by its owner or, for the kind, by an administrator.
BOOST_DEFINE_ENUM_CLASS(State, connecting, connected, rejected, off)
// Who may write besides those that the owner has admitted. pairing: others get a code that the owner confirms. closed:
// others get no answer.
BOOST_DEFINE_ENUM_CLASS(Access, pairing, open, closed)
// Who uses the credentials: the box, or the program of the agent's image, which then has them in its environment.
BOOST_DEFINE_ENUM_CLASS(TokenUser, box, image)

struct Channel {
  std::int64_t owner = 0;  // the agent's
  std::string id;          // "ch_" and 20 random characters
  std::string agent;
  Kind kind = Kind::telegram;
  store::Sealed secrets;        // the text of a JSON object: "token", and what else the kind needs
  boost::json::object options;  // of the kind, without secrets
  std::string identity;         // of the bot at its provider, such as "@scout_bot"; empty until it has connected
  Access access = Access::pairing;
  std::vector<std::string> allowed;                      // addresses and names (with @) that need no pairing
  std::int64_t daily_cap = 1'000, peer_daily_cap = 100;  // messages in, in a UTC day
  bool is_enabled = true;
  State state = State::connecting;
  std::string error;  // of the last attempt, a sentence; empty while it is connected
  std::optional<store::Time> connected_at;
  store::Time created_at{};
  TokenUser used_by = TokenUser::box;
  std::string cursor;  // see Adapter::cursor
};
BOOST_DESCRIBE_STRUCT(Channel, (),
                      (owner, id, agent, kind, secrets, options, identity, access, allowed, daily_cap, peer_daily_cap,
                       is_enabled, state, error, connected_at, created_at, used_by, cursor))

inline const store::Owned<Channel> table{
    {.family = "channels", .number = 210},
    &Channel::owner,
    &Channel::id,
    {store::unique<Channel>(1, "channel", &Channel::id), store::scoped<Channel>(2, "agent", &Channel::agent)}};

// pending: has a code and waits for the owner. owner: an account of the agent's owner. visitor: nobody has admitted
// them, but the channel is open.
BOOST_DEFINE_ENUM_CLASS(Standing, pending, allowed, owner, blocked, visitor)

// A person, or a group, who writes over a channel.
struct Peer {
  std::int64_t owner = 0;
  std::string id;  // the channel's id, ".", and 24 hex digits of the address' SHA-256
  std::string agent, channel;
  std::string address;  // at the provider: what stays the same when the person changes name
  std::string name;
  std::string chat;  // where answers go
  bool is_group = false;
  Standing standing = Standing::pending;
  std::string code;                        // pending: what the person shows to the owner
  std::optional<store::Time> answered_at;  // pending or over its cap: when the box last said so
  std::string language;                    // as the provider has it: "de", or empty
  std::int64_t topic = 0;                  // how often a new conversation was begun
  std::optional<std::int64_t> daily_cap;   // in the place of the channel's
  store::Time created_at{}, last_at{};
};
BOOST_DESCRIBE_STRUCT(Peer, (),
                      (owner, id, agent, channel, address, name, chat, is_group, standing, code, answered_at, language,
                       topic, daily_cap, created_at, last_at))

inline const store::Owned<Peer> peers{{.family = "channel_peers", .number = 211},
                                      &Peer::owner,
                                      &Peer::id,
                                      {store::scoped<Peer>(1, "channel", &Peer::channel)}};

// A file at the provider, or with its content where that came with the message.
struct FileReference {
  std::string name, reference;
  std::int64_t size = 0;  // 0: unknown
};
BOOST_DESCRIBE_STRUCT(FileReference, (), (name, reference, size))

BOOST_DEFINE_ENUM_CLASS(Progress, queued, done, failed)

// A message from a peer. Kept for a week after it is done, without its text, so that the provider's repetitions of it
// are known.
struct Inbound {
  std::int64_t owner = 0;
  std::string id;  // the channel's id, ".", and 32 hex digits of the SHA-256 of the provider's id
  std::string agent, channel, peer;
  std::string chat, reply_to;  // reply_to: the provider's id of the message
  std::string sender;          // the name of the person
  std::string text;
  std::vector<FileReference> files;
  Progress progress = Progress::queued;
  std::string question;       // the chat::Message once the agent was asked
  std::int64_t attempts = 0;  // to reach an agent that does not run
  std::int64_t asked = 0;     // how often the agent was asked; more than once after a stop of the box
  std::string failure;
  store::Time received_at{};
  std::optional<store::Time> next_at;  // queued only
};
BOOST_DESCRIBE_STRUCT(Inbound, (),
                      (owner, id, agent, channel, peer, chat, reply_to, sender, text, files, progress, question,
                       attempts, asked, failure, received_at, next_at))

inline const store::Owned<Inbound> inbound{
    {.family = "channel_inbound", .number = 212},
    &Inbound::owner,
    &Inbound::id,
    {store::index<Inbound>(1, "next", &Inbound::next_at), store::index<Inbound>(2, "received", &Inbound::received_at)}};

struct Button {
  std::string label, data;  // data: at most 64 bytes, what Button presses report
};
BOOST_DESCRIBE_STRUCT(Button, (), (label, data))

// A message to a peer that its provider does not have yet. Removed once it has, `done` until it reports the delivery
// if it does so; `failed` ones are dead letters.
struct Outbound {
  std::int64_t owner = 0;
  std::string id;  // the channel's id, ".", and an ordered id: in the order of the conversation
  std::string agent, channel, chat;
  std::string text;             // Markdown, short enough for the provider
  std::string file, file_name;  // path of a file in the data folder's agents/, instead of text
  std::string edits, reply_to;  // the provider's ids
  std::vector<Button> buttons;
  Progress progress = Progress::queued;
  std::int64_t attempts = 0;
  std::int64_t uncertain = 0;  // attempts that the provider may have taken
  bool is_under_way = false;   // an attempt has begun; after a stop of the box it counts as uncertain
  std::string failure;
  store::Time created_at{};
  std::optional<store::Time> next_at;  // queued only
};
BOOST_DESCRIBE_STRUCT(Outbound, (),
                      (owner, id, agent, channel, chat, text, file, file_name, edits, reply_to, buttons, progress,
                       attempts, uncertain, is_under_way, failure, created_at, next_at))

inline const store::Owned<Outbound> outbound{
    {.family = "channel_outbound", .number = 213},
    &Outbound::owner,
    &Outbound::id,
    {store::index<Outbound>(1, "next", &Outbound::next_at), store::scoped<Outbound>(2, "channel", &Outbound::channel)}};

// A kind that an administrator has limited.
struct KindRule {
  std::string kind;
  bool is_off = false;
  std::vector<std::string> plans;  // whose agents may have it; empty: all
};
BOOST_DESCRIBE_STRUCT(KindRule, (), (kind, is_off, plans))

inline const store::Global<KindRule> kind_rules{{.family = "channel_kinds", .number = 214}, &KindRule::kind};

// A link by which one person becomes a peer without a code.
struct Invitation {
  std::int64_t owner = 0;
  std::string id;  // the channel's id, ".", and the SHA-256 of the secret in hex
  std::string channel;
  bool is_for_owner = false;
  store::Time expires_at{};
};
BOOST_DESCRIBE_STRUCT(Invitation, (), (owner, id, channel, is_for_owner, expires_at))

inline const store::Owned<Invitation> invitations{{.family = "channel_invitations", .number = 215},
                                                  &Invitation::owner,
                                                  &Invitation::id,
                                                  {store::index<Invitation>(1, "expires", &Invitation::expires_at)}};

}  // namespace channels
