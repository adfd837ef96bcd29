#include "appliance/hosting/channels/handlers.h"

#include <algorithm>

#include "appliance/access/key_guards.h"
#include "appliance/billing/subscriptions/plans.h"
#include "appliance/hosting/chat/conversations.h"
#include "appliance/hosting/rate_groups.h"

namespace channels {

namespace {

using web::Request;

constexpr auto test_message = "This is a test message from your agentbox. The channel works.";
constexpr std::size_t max_listed = 1'000, max_event_bytes = 2u << 20;

std::optional<std::string> unless_empty(std::string text) {
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

struct Counts {
  std::int64_t queued = 0, dead = 0;
};
Counts counts_of(const Services& services, const Channel& channel) {
  Counts counts;
  for (const auto& message : services.system.tenant(channel.owner).find(outbound, "channel", channel.id, max_listed))
    if (message.progress != Progress::done) ++(message.progress == Progress::failed ? counts.dead : counts.queued);
  return counts;
}

// The record's state is that of the last attempt, perhaps before a stop of the box.
State state_of(const Channel& channel, const Connection* connection) {
  const bool is_open = connection && connection->is_ready;
  return channel.state == State::connected && !is_open ? State::connecting : channel.state;
}

ChannelView view_of(const Services& services, Channel channel) {
  const auto counts = counts_of(services, channel);
  const auto people = services.system.tenant(channel.owner).find(peers, "channel", channel.id, max_listed);
  const auto connection = services.connections.find(channel.id);
  const bool is_pushed =
      connection && (connection->adapter->traits().is_pushed || connection->adapter->traits().takes_pushes);
  ChannelView view{.id = channel.id,
                   .kind = channel.kind,
                   .state = state_of(channel, connection.get()),
                   .error = unless_empty(std::move(channel.error)),
                   .identity = unless_empty(std::move(channel.identity)),
                   .connectedSince = {},
                   .options = std::move(channel.options),
                   .access = channel.access,
                   .allowed = std::move(channel.allowed),
                   .dailyCap = channel.daily_cap,
                   .peerDailyCap = channel.peer_daily_cap,
                   .enabled = channel.is_enabled,
                   .usedBy = channel.used_by,
                   .queued = counts.queued,
                   .deadLetters = counts.dead,
                   .pending = std::ranges::count(people, Standing::pending, &Peer::standing),
                   .eventsUrl = {},
                   .createdAt = channel.created_at};
  if (view.state == State::connected) view.connectedSince = channel.connected_at;
  if (is_pushed) view.eventsUrl = services.connections.settings().site() + push_path(channel.id);
  return view;
}

std::string suffix_of(const std::string& id) { return id.substr(id.find('.') + 1); }

PeerView view_of(Peer peer) {
  return {.id = suffix_of(peer.id),
          .address = std::move(peer.address),
          .name = std::move(peer.name),
          .group = peer.is_group,
          .standing = peer.standing,
          .dailyCap = peer.daily_cap,
          .createdAt = peer.created_at,
          .lastMessageAt = peer.last_at};
}

web::Result<web::Response> channel_answer(const Services& services, web::Result<Channel> channel, int status) {
  if (!channel) return channel.error();
  const ChannelAnswer answer{.channel = view_of(services, std::move(*channel))};
  return web::reply(answer, status);
}

web::Result<web::Response> peer_answer(web::Result<Peer> peer) {
  if (!peer) return peer.error();
  const PeerAnswer answer{.peer = view_of(std::move(*peer))};
  return web::reply(answer, 200);
}

// The channel that the path names, of the caller's agent.
web::Result<Channel> channel_of(const Services& services, const Request& request) {
  return services.channels.find(request.caller.user_id, request.param("id"), request.param("channel"));
}

web::Answer list_channels(const Services& services, const Request& request) {
  auto found = services.channels.list(request.caller.user_id, request.param("id"));
  if (!found) co_return found.error();
  ChannelList answer;
  for (auto& channel : *found) answer.channels.push_back(view_of(services, std::move(channel)));
  answer.count = std::int64_t(answer.channels.size());
  for (const auto& rule : services.channels.rules()) {
    Kind kind{};
    if (!rule.is_off && boost::describe::enum_from_string(rule.kind.c_str(), kind)) answer.kinds.push_back(kind);
  }
  co_return web::reply(answer, 200);
}

web::Answer create_channel(const Services& services, const Request& request, NewChannelRequest body) {
  NewChannel wanted{.kind = body.kind,
                    .token = std::move(body.token),
                    .options = {},
                    .secrets = {},
                    .access = body.access.value_or(Access::pairing)};
  if (body.options) wanted.options = std::move(*body.options);
  if (body.secrets) wanted.secrets = std::move(*body.secrets);
  auto made = co_await services.channels.create(request.caller.user_id, request.param("id"), std::move(wanted));
  co_return channel_answer(services, std::move(made), 201);
}

web::Answer show_channel(const Services& services, const Request& request) {
  co_return channel_answer(services, channel_of(services, request), 200);
}

web::Answer change_channel(const Services& services, const Request& request, ChannelChange body) {
  ChannelEdit edit;
  if (body.token) edit.token = std::move(*body.token);
  edit.options = std::move(body.options);
  edit.secrets = std::move(body.secrets);
  edit.access = body.access;
  if (body.allowed) {
    edit.allowed.emplace();
    for (auto& one : *body.allowed) edit.allowed->push_back(std::move(one));
  }
  if (body.dailyCap) edit.daily_cap = body.dailyCap->value;
  if (body.peerDailyCap) edit.peer_daily_cap = body.peerDailyCap->value;
  edit.is_enabled = body.enabled;
  edit.used_by = body.usedBy;
  auto edited = co_await services.channels.edit(request.caller.user_id, request.param("id"), request.param("channel"),
                                                std::move(edit));
  co_return channel_answer(services, std::move(edited), 200);
}

web::Answer remove_channel(const Services& services, const Request& request) {
  const auto removed =
      co_await services.channels.remove(request.caller.user_id, request.param("id"), request.param("channel"));
  if (!removed) co_return removed.error();
  const Done answer;
  co_return web::reply(answer, 200);
}

web::Answer list_peers(const Services& services, const Request& request) {
  const auto channel = channel_of(services, request);
  if (!channel) co_return channel.error();
  PeerList answer;
  for (auto& peer : services.system.tenant(channel->owner).find(peers, "channel", channel->id, max_listed)) {
    auto conversation = current_conversation_of(*channel, peer);
    answer.peers.push_back(view_of(std::move(peer)));
    answer.peers.back().conversationId = std::move(conversation);
  }
  std::ranges::sort(answer.peers, std::ranges::greater(), &PeerView::lastMessageAt);
  answer.count = std::int64_t(answer.peers.size());
  co_return web::reply(answer, 200);
}

web::Answer change_peer(const Services& services, const Request& request, PeerChange body) {
  const auto channel = channel_of(services, request);
  if (!channel) co_return channel.error();
  std::optional<std::int64_t> cap;
  if (body.dailyCap) cap = body.dailyCap->value;
  auto decided =
      co_await services.admission.decide(channel->owner, channel->id + "." + request.param("peer"), body.standing, cap);
  co_return peer_answer(std::move(decided));
}

web::Answer remove_peer_cap(const Services& services, const Request& request) {
  const auto channel = channel_of(services, request);
  if (!channel) co_return channel.error();
  auto changed = co_await services.admission.remove_cap(channel->owner, channel->id + "." + request.param("peer"));
  co_return peer_answer(std::move(changed));
}

web::Answer pair_peer(const Services& services, const Request& request, PairingRequest body) {
  const auto channel = channel_of(services, request);
  if (!channel) co_return channel.error();
  const auto peer = services.admission.pending_with(channel->owner, channel->id, body.code);
  if (!peer) co_return peer.error();
  const auto standing = body.owner.value_or(false) ? Standing::owner : Standing::allowed;
  auto decided = co_await services.admission.decide(channel->owner, peer->id, standing, std::nullopt);
  co_return peer_answer(std::move(decided));
}

web::Answer invite_peer(const Services& services, const Request& request, InvitationRequest body) {
  const auto channel = channel_of(services, request);
  if (!channel) co_return channel.error();
  auto invited = co_await services.admission.invite(channel->owner, channel->id, body.owner.value_or(false));
  if (!invited) co_return invited.error();
  const InvitationAnswer answer{
      .code = invited->secret, .url = unless_empty(std::move(invited->url)), .expiresAt = invited->expires_at};
  co_return web::reply(answer, 201);
}

web::Answer list_dead_letters(const Services& services, const Request& request) {
  const auto channel = channel_of(services, request);
  if (!channel) co_return channel.error();
  DeadLetterList answer;
  for (auto& message : services.system.tenant(channel->owner).find(outbound, "channel", channel->id, max_listed))
    if (message.progress == Progress::failed)
      answer.deadLetters.push_back({.id = suffix_of(message.id),
                                    .chat = std::move(message.chat),
                                    .text = std::move(message.text),
                                    .file = unless_empty(std::move(message.file_name)),
                                    .error = std::move(message.failure),
                                    .attempts = message.attempts,
                                    .createdAt = message.created_at});
  answer.count = std::int64_t(answer.deadLetters.size());
  co_return web::reply(answer, 200);
}

using DeadLetterAct = web::Task<bool> (Outbox::*)(store::UserId, std::string id);

web::Answer act_on_dead_letter(const Services& services, const Request& request, DeadLetterAct act) {
  const auto channel = channel_of(services, request);
  if (!channel) co_return channel.error();
  const auto id = channel->id + "." + request.param("letter");
  if (!co_await (services.outbox.*act)(channel->owner, id)) co_return web::not_found("No such dead letter");
  const Done answer;
  co_return web::reply(answer, 200);
}

web::Answer replay_dead_letter(const Services& services, const Request& request) {
  return act_on_dead_letter(services, request, &Outbox::replay);
}

web::Answer discard_dead_letter(const Services& services, const Request& request) {
  return act_on_dead_letter(services, request, &Outbox::discard);
}

web::Answer send_test(const Services& services, const Request& request) {
  const auto channel = channel_of(services, request);
  if (!channel) co_return channel.error();
  TestAnswer answer;
  for (const auto& peer : services.system.tenant(channel->owner).find(peers, "channel", channel->id, max_listed)) {
    if (peer.standing != Standing::owner) continue;
    Target target{.owner = peer.owner, .agent = peer.agent, .channel = peer.channel, .chat = peer.chat};
    co_await services.outbox.send(std::move(target), test_message);
    ++answer.sent;
  }
  if (answer.sent == 0) co_return web::conflict("Link an account of yours first: test messages go to it.");
  co_return web::reply(answer, 202);
}

web::Task<web::Result<std::string>> whole_event(web::BodyStream& stream) {
  std::string bytes;
  for (;;) {
    const auto piece = co_await stream.next();
    if (!piece) co_return piece.error();
    if (piece->empty()) co_return bytes;
    bytes.append(*piece);
  }
}

// What is received is durable before the provider gets its answer.
web::Answer receive_event(const Services& services, const Request& request, web::BodyStream& stream) {
  const auto connection = services.connections.find(request.param("channel"));
  if (!connection) co_return web::not_found();
  const auto body = co_await whole_event(stream);
  if (!body) co_return body.error();
  auto push = connection->adapter->push(request, *body);
  if (!push) co_return push.error();
  for (auto& received : push->received) {
    co_await connection->adapter->complete(received);
    auto admitted = co_await services.admission.admit(connection->channel, std::move(received));
    if (admitted) services.responder.take(std::move(*admitted));
  }
  for (auto& report : push->reports) co_await services.outbox.note(connection->channel, std::move(report));
  co_return web::text(std::move(push->answer), std::move(push->content_type));
}

// Providers verify the address by a GET request before they send events to it.
web::Answer verify_address(const Services& services, const Request& request) {
  const auto connection = services.connections.find(request.param("channel"));
  if (!connection) co_return web::not_found();
  const std::string no_body;
  auto push = connection->adapter->push(request, no_body);
  if (!push) co_return push.error();
  co_return web::text(std::move(push->answer), std::move(push->content_type));
}

web::Answer list_all_channels(const Services& services, const Request&) {
  AdminChannelList answer;
  for (auto& channel : services.channels.list_all()) {
    const auto counts = counts_of(services, channel);
    const auto connection = services.connections.find(channel.id);
    AdminChannelView view{.id = channel.id,
                          .agentId = channel.agent,
                          .userId = std::to_string(channel.owner),
                          .kind = channel.kind,
                          .state = state_of(channel, connection.get()),
                          .error = unless_empty(std::move(channel.error)),
                          .identity = unless_empty(std::move(channel.identity)),
                          .connectedSince = {},
                          .queued = counts.queued,
                          .deadLetters = counts.dead};
    if (view.state == State::connected) view.connectedSince = channel.connected_at;
    answer.channels.push_back(std::move(view));
  }
  answer.count = std::int64_t(answer.channels.size());
  co_return web::reply(answer, 200);
}

web::Answer list_kinds(const Services& services, const Request&) {
  KindList answer;
  for (auto& rule : services.channels.rules())
    answer.kinds.push_back({.kind = std::move(rule.kind), .enabled = !rule.is_off, .plans = std::move(rule.plans)});
  co_return web::reply(answer, 200);
}

web::Answer change_kind(const Services& services, const Request& request, KindChange body) {
  Kind kind{};
  if (!boost::describe::enum_from_string(request.param("kind").c_str(), kind))
    co_return web::not_found("No such kind of channel");
  KindRule rule{.kind = request.param("kind"), .is_off = !body.enabled, .plans = {}};
  if (body.plans)
    for (auto& plan : *body.plans) {
      if (!billing::plan_named(plan)) co_return web::invalid("plans: there are " + billing::plan_names());
      rule.plans.push_back(std::move(plan));
    }
  const KindView answer{.kind = rule.kind, .enabled = body.enabled, .plans = rule.plans};
  co_await services.channels.set_rule(std::move(rule));
  auto entry = audit::of_request(request, body.enabled ? "kind of channel allowed" : "kind of channel switched off",
                                 answer.kind);
  co_await services.audit.note(std::move(entry));
  co_return web::reply(answer, 200);
}

const web::RateLimit channel_rate{.group = "channels", .limit = 60};
const web::RateLimit pairing_rate{.group = "channel-pairing", .limit = 20, .limits_guesses = true};
const web::RateLimit event_rate{.group = "channel-events", .limit = 6'000};

constexpr auto about_list =
    "Each with its state: connecting, connected, rejected (the provider refuses the token: replace it) or off. The "
    "token is in no answer. `kinds` are those that the box allows.";
constexpr auto about_create =
    "`token`: the bot's token at its provider; of a webhook its signing secret (whsec_ and base64, or any text of 16 "
    "characters or more). `options`: telegram {receive: polling (default) or webhook}; webhook {url: where the agent's "
    "messages go}; slack {receive: socket (default) or events}; whatsapp {phoneNumberId, template?, "
    "templateLanguage?}; mail {address, imap, smtp, authserv, user?, folder?, name?}; matrix {homeserver}; xmpp "
    "{address, server?, rooms?, nickname?}; irc {server, nickname, user?, channels?}. "
    "`secrets`, besides the token: slack {appToken} or, with events, {signingSecret}; whatsapp {appSecret, "
    "verifyToken}. The channel connects at once; whether the provider accepts the token is in its state. Nobody may "
    "write at first, unless `access` is open.";
constexpr auto about_change =
    "`access`: pairing (others get a code that the owner confirms), open (everybody, within the caps) or closed. "
    "`allowed`: addresses and @names that need no code. Caps are messages in a UTC day. Of `secrets`, those that are "
    "given are replaced. `usedBy` image: the box stops using the channel, and the agent's foreign image has the "
    "secrets "
    "in its environment (TELEGRAM_BOT_TOKEN, ...) from its next start. The channel connects again.";
constexpr auto about_peer =
    "`dailyCap`: messages in a UTC day, in the place of the channel's `peerDailyCap`. Without it the person keeps the "
    "present cap; DELETE .../cap removes it.";
constexpr auto about_pair =
    "Admits the person or group who was given this code; `owner`: it is an account of the "
    "agent's owner, to whom the agent answers as in the console.";
constexpr auto about_invite =
    "A code for one person, valid for a week: the person opens `url` or sends `code` to the bot. `owner`: as for "
    "pairing.";
constexpr auto about_event =
    "Events of providers that push them, signed as the kind demands: telegram by "
    "X-Telegram-Bot-Api-Secret-Token, webhook as Standard Webhooks with the channel's secret, slack by "
    "X-Slack-Signature, discord (interactions) by X-Signature-Ed25519, whatsapp by X-Hub-Signature-256. A webhook's "
    "body is "
    "{sender, text, senderName?, conversation?, group?, mentioned?, messageId?, language?, files?[{name, url or "
    "content "
    "(base64)}]}, up to 2 MB; its answer is sent to the channel's url. A repetition of an event changes nothing.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& read = agentbox::session_or_key(guards, key_scopes::Scope::agents_read);
  const auto& write = agentbox::session_or_key(guards, key_scopes::Scope::agents_write);
  return {
      {web::GET, "/api/agents/:id/channels", read, &hosting::agents_rate,
       web::plain(on(list_channels)).returns<ChannelList>().describe(about_list), "List an agent's channels"},
      {web::POST, "/api/agents/:id/channels", write, &channel_rate,
       web::body<NewChannelRequest>(on(create_channel))
           .returns<ChannelAnswer>(201)
           .describe(about_create)
           .fails({web::Kind::conflict, web::Kind::forbidden}),
       "Connect an agent to a messaging channel"},
      {web::GET, "/api/agents/:id/channels/:channel", read, &hosting::agents_rate,
       web::plain(on(show_channel)).returns<ChannelAnswer>(), "Show a channel"},
      {web::PATCH, "/api/agents/:id/channels/:channel", write, &channel_rate,
       web::body<ChannelChange>(on(change_channel)).returns<ChannelAnswer>().describe(about_change),
       "Change a channel"},
      {web::DELETE, "/api/agents/:id/channels/:channel", write, &channel_rate,
       web::plain(on(remove_channel)).returns<Done>(), "Remove a channel with its people"},
      {web::POST, "/api/agents/:id/channels/:channel/test", write, &channel_rate,
       web::plain(on(send_test)).returns<TestAnswer>(202).fails({web::Kind::conflict}),
       "Send a test message to the owner's linked accounts"},
      {web::GET, "/api/agents/:id/channels/:channel/peers", read, &hosting::agents_rate,
       web::plain(on(list_peers)).returns<PeerList>(), "List who writes over a channel"},
      {web::PUT, "/api/agents/:id/channels/:channel/peers/:peer", write, &channel_rate,
       web::body<PeerChange>(on(change_peer)).returns<PeerAnswer>().describe(about_peer),
       "Admit, block or limit a person or group"},
      {web::DELETE, "/api/agents/:id/channels/:channel/peers/:peer/cap", write, &channel_rate,
       web::plain(on(remove_peer_cap)).returns<PeerAnswer>(),
       "Let the channel's limit apply to a person or group again"},
      {web::POST, "/api/agents/:id/channels/:channel/pairings", write, &pairing_rate,
       web::body<PairingRequest>(on(pair_peer)).returns<PeerAnswer>().describe(about_pair),
       "Confirm a person's pairing code"},
      {web::POST, "/api/agents/:id/channels/:channel/invitations", guards.session, &channel_rate,
       web::body<InvitationRequest>(on(invite_peer)).returns<InvitationAnswer>(201).describe(about_invite),
       "Make an invitation to a channel"},
      {web::GET, "/api/agents/:id/channels/:channel/dead-letters", read, &hosting::agents_rate,
       web::plain(on(list_dead_letters)).returns<DeadLetterList>(), "List messages that could not be delivered"},
      {web::POST, "/api/agents/:id/channels/:channel/dead-letters/:letter/replay", write, &channel_rate,
       web::plain(on(replay_dead_letter)).returns<Done>(), "Send an undelivered message again"},
      {web::DELETE, "/api/agents/:id/channels/:channel/dead-letters/:letter", write, &channel_rate,
       web::plain(on(discard_dead_letter)).returns<Done>(), "Discard an undelivered message"},
      {web::POST, "/api/channel-events/:channel", guards.none, &event_rate,
       web::stream(max_event_bytes, on(receive_event))
           .describe(about_event)
           .fails({web::Kind::unauthenticated, web::Kind::invalid, web::Kind::not_found}),
       "Receive an event of a messaging provider"},
      {web::GET, "/api/channel-events/:channel", guards.none, &event_rate,
       web::plain(on(verify_address)).fails({web::Kind::unauthenticated, web::Kind::not_found}),
       "Verify the address of events to a messaging provider"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& key = guards.backend.internal;
  return {
      {web::GET, "/api/admin/channels", key, nullptr, web::plain(on(list_all_channels)).returns<AdminChannelList>(),
       "List the channels of all agents"},
      {web::GET, "/api/admin/channel-kinds", key, nullptr, web::plain(on(list_kinds)).returns<KindList>(),
       "List the kinds of channels, and which plans may have them"},
      {web::PUT, "/api/admin/channel-kinds/:kind", key, nullptr,
       web::body<KindChange>(on(change_kind)).returns<KindView>(),
       "Switch a kind of channel on or off, or limit it to plans"},
  };
}

}  // namespace channels
