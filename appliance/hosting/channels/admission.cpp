#include "appliance/hosting/channels/admission.h"

#include <algorithm>

#include "appliance/billing/usage/period.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/channels/phrases.h"
#include "store/transact.h"
#include "web/ascii.h"
#include "web/utf8.h"

namespace channels {

namespace {

constexpr std::size_t address_digits = 24, event_digits = 32, max_listed_peers = 10'000, max_text = 100'000;
constexpr std::size_t code_length = 8, invitation_bytes = 18;

std::string cut_to(const std::string& text, std::size_t bytes) { return std::string(web::utf8_prefix(text, bytes)); }

store::CounterName channel_count(const Channel& channel, store::Time at) {
  return {"channel/" + channel.id + "/" + usage::Period::day(at).name()};
}
store::CounterName peer_count(const Peer& peer, store::Time at) {
  return {"channel_peer/" + peer.id + "/" + usage::Period::day(at).name()};
}

Peer described(const Channel& channel, const Received& received, store::Time now) {
  const bool is_group = !received.group.empty();
  Peer peer;
  peer.owner = channel.owner;
  peer.agent = channel.agent;
  peer.channel = channel.id;
  peer.address = is_group ? received.group : received.sender;
  peer.id = peer_id(channel.id, peer.address);
  peer.is_group = is_group;
  peer.created_at = now;
  return peer;
}

void update(Peer& peer, const Received& received, store::Time now) {
  const auto& name = peer.is_group ? received.group_name : received.sender_name;
  if (!name.empty()) peer.name = cut_to(name, 200);
  peer.chat = received.chat;
  if (!received.language.empty()) peer.language = cut_to(received.language, 10);
  peer.last_at = now;
}

bool is_listed(const Channel& channel, const Received& received) {
  if (!received.group.empty()) return std::ranges::count(channel.allowed, received.group) > 0;
  return std::ranges::any_of(channel.allowed, [&](const std::string& one) {
    return one == received.sender ||
           (!received.sender_handle.empty() && web::equal_ignoring_case(one, received.sender_handle));
  });
}

// What "/start SECRET", or the secret alone, carries.
std::string secret_in(std::string_view text) {
  text = web::trim(text, web::white_space);
  constexpr std::string_view start = "/start ";
  if (text.starts_with(start)) text = web::trim(text.substr(start.size()));
  constexpr std::size_t secret_length = 24;  // of 18 bytes
  return text.size() == secret_length ? std::string(text) : std::string();
}

// Whether the owner has said who it is.
bool is_decided(Standing standing) { return standing != Standing::pending && standing != Standing::visitor; }

}  // namespace

std::string peer_id(const std::string& channel, std::string_view address) {
  return channel + "." + crypto::sha256_hex(address).substr(0, address_digits);
}

Admission::Admission(store::System system, const agents::AgentDirectory& agents, Connections& connections,
                     Outbox& outbox)
    : system_(std::move(system)), agents_(agents), connections_(connections), outbox_(outbox) {}

web::Task<std::optional<Inbound>> Admission::admit(const Channel& channel, Received received) {
  const auto now = store::now();
  if (!received.group.empty() && !received.is_mentioned) co_return std::nullopt;
  const auto tenant = system_.tenant(channel.owner);
  auto peer = described(channel, received, now);
  const auto known = tenant.get(peers, peer.id);
  if (known) peer = known->value;
  if (known && peer.standing == Standing::blocked) co_return std::nullopt;
  if (!received.button.empty()) {
    if (known && pressed_) co_await pressed_(channel, peer, std::move(received));
    co_return std::nullopt;
  }
  Inbound message;
  message.owner = channel.owner;
  message.id = channel.id + "." + crypto::sha256_hex(received.event).substr(0, event_digits);
  if (tenant.get(inbound, message.id)) co_return std::nullopt;
  update(peer, received, now);
  const bool was_invited = co_await accept_invitation(channel, received, peer);
  if (was_invited) co_return std::nullopt;
  if (!known || peer.standing == Standing::pending || peer.standing == Standing::visitor) {
    const bool is_admitted = is_listed(channel, received), is_open = channel.access == Access::open || is_admitted;
    const bool is_unknown = !known || peer.standing == Standing::visitor;
    if (!is_open && channel.access == Access::closed && is_unknown) co_return std::nullopt;
    if (!is_open) {
      co_await answer_stranger(channel, std::move(peer));
      co_return std::nullopt;
    }
    peer.standing = is_admitted ? Standing::allowed : Standing::visitor;
    peer.code.clear();
  }
  message.agent = channel.agent;
  message.channel = channel.id;
  message.peer = peer.id;
  message.chat = received.chat;
  message.reply_to = peer.is_group ? received.message : std::string();
  message.sender = cut_to(received.sender_name, 200);
  message.text = cut_to(received.text, max_text);
  message.files = std::move(received.files);
  message.received_at = now;
  message.next_at = now;
  using Stored = std::optional<Inbound>;
  bool is_over_cap = false;
  const auto step = [&](store::Change& change) -> Stored {
    if (tenant.get(inbound, message.id)) return std::nullopt;
    // Another message may have changed the person's record since.
    auto current = tenant.get(peers, peer.id);
    auto stored = peer;
    if (current) {
      if (current->value.standing == Standing::blocked) return std::nullopt;
      if (is_decided(current->value.standing)) stored.standing = current->value.standing;
      stored.topic = current->value.topic;
      stored.daily_cap = current->value.daily_cap;
    }
    store::put(change, tenant, peers, stored);
    change.insert(inbound, message);
    change.add(channel.owner, channel_count(channel, now), 1, channel.daily_cap);
    const auto cap =
        stored.standing == Standing::owner ? channel.daily_cap : stored.daily_cap.value_or(channel.peer_daily_cap);
    change.add(channel.owner, peer_count(stored, now), 1, cap);
    return message;
  };
  const auto refused = [&](const store::Outcome& outcome) -> std::optional<Stored> {
    if (outcome.kind != store::Outcome::Kind::over_bound) return std::nullopt;
    is_over_cap = true;
    return Stored();
  };
  auto stored = co_await store::transact(tenant, step, refused);
  if (is_over_cap) co_await refuse_over_cap(channel, std::move(peer));
  co_return stored;
}

std::size_t Admission::count_pending(const Channel& channel) const {
  const auto all = system_.tenant(channel.owner).find(peers, "channel", channel.id, max_listed_peers);
  return std::size_t(std::ranges::count(all, Standing::pending, &Peer::standing));
}

// Between two reminders: the owner is to see who asks now.
web::Task<> Admission::note_name(const Peer& peer) {
  const auto known = system_.tenant(peer.owner).get(peers, peer.id);
  if (!known || known->value.name == peer.name) co_return;
  std::function<void(Peer&)> rename = [name = peer.name](Peer& row) { row.name = name; };
  co_await system_.modify(peers, peer.owner, peer.id, std::move(rename));
}

web::Task<> Admission::answer_stranger(const Channel& channel, Peer peer) {
  const auto tenant = system_.tenant(channel.owner);
  const auto now = store::now();
  const bool is_new = peer.code.empty();
  if (is_new && count_pending(channel) >= max_pending) co_return;
  if (!is_new && peer.answered_at && now < *peer.answered_at + pairing_reminder) {
    co_await note_name(peer);
    co_return;
  }
  if (is_new) peer.code = crypto::random_id(code_length);
  peer.standing = Standing::pending;
  peer.answered_at = now;
  const Target target{.owner = peer.owner, .agent = peer.agent, .channel = peer.channel, .chat = peer.chat};
  const auto messages = outbox_.compose(target, phrase(Phrase::pairing, peer.language, "`" + peer.code + "`"));
  const auto step = [&](store::Change& change) {
    // The owner may have decided since.
    if (const auto current = tenant.get(peers, peer.id); current && is_decided(current->value.standing)) return false;
    store::put(change, tenant, peers, peer);
    Outbox::add(change, messages);
    return true;
  };
  const bool is_answered = co_await store::transact(tenant, step);
  if (is_answered) outbox_.wake(messages);
}

// Said once a day.
web::Task<> Admission::refuse_over_cap(const Channel& channel, Peer peer) {
  const auto tenant = system_.tenant(channel.owner);
  const auto now = store::now();
  const auto row = tenant.get(peers, peer.id);
  if (row) peer = row->value;
  if (peer.answered_at && usage::Period::day(*peer.answered_at).name() == usage::Period::day(now).name()) co_return;
  peer.answered_at = now;
  const Target target{.owner = peer.owner, .agent = peer.agent, .channel = peer.channel, .chat = peer.chat};
  const auto messages = outbox_.compose(target, phrase(Phrase::daily_limit, peer.language));
  const auto step = [&](store::Change& change) {
    if (const auto current = tenant.get(peers, peer.id)) {
      if (current->value.standing == Standing::blocked) return false;
      peer.standing = current->value.standing;
    }
    store::put(change, tenant, peers, peer);
    Outbox::add(change, messages);
    return true;
  };
  const bool is_answered = co_await store::transact(tenant, step);
  if (is_answered) outbox_.wake(messages);
}

std::string Admission::name_of_agent(const Peer& peer) const {
  const auto agent = agents_.find(peer.owner, peer.agent);
  return agent ? agent->name : std::string();
}

void Admission::greet(store::Change& change, const Peer& peer, std::vector<Outbound>& messages) const {
  const Target target{.owner = peer.owner, .agent = peer.agent, .channel = peer.channel, .chat = peer.chat};
  const auto which = peer.standing == Standing::owner ? Phrase::linked : Phrase::paired;
  messages = outbox_.compose(target, phrase(which, peer.language, name_of_agent(peer)));
  Outbox::add(change, messages);
}

web::Task<bool> Admission::accept_invitation(const Channel& channel, const Received& received, const Peer& peer) {
  const auto secret = secret_in(received.text);
  if (secret.empty() || peer.is_group) co_return false;
  const auto tenant = system_.tenant(channel.owner);
  std::vector<Outbound> messages;
  const auto step = [&](store::Change& change) {
    const auto invitation = tenant.get(invitations, channel.id + "." + crypto::sha256_hex(secret));
    if (!invitation || invitation->value.expires_at < store::now()) return false;
    change.erase(invitations, *invitation);
    auto paired = peer;
    paired.standing = invitation->value.is_for_owner ? Standing::owner : Standing::allowed;
    paired.code.clear();
    paired.answered_at.reset();
    store::put(change, tenant, peers, paired);
    greet(change, paired, messages);
    return true;
  };
  const bool is_accepted = co_await store::transact(tenant, step);
  if (is_accepted) outbox_.wake(messages);
  co_return is_accepted;
}

web::Task<web::Result<Peer>> Admission::decide(store::UserId owner, std::string id, Standing standing,
                                               std::optional<std::int64_t> daily_cap) {
  const auto tenant = system_.tenant(owner);
  std::vector<Outbound> messages;
  const auto step = [&](store::Change& change) -> web::Result<Peer> {
    auto row = tenant.get(peers, id);
    if (!row) return web::not_found("No such person");
    auto& peer = row->value;
    if (standing == Standing::visitor) return web::invalid("standing: the box alone makes visitors, on open channels");
    if (peer.is_group && standing == Standing::owner) return web::invalid("standing: a group cannot be the owner");
    const bool is_new = peer.standing != standing && standing != Standing::blocked && standing != Standing::pending;
    peer.standing = standing;
    peer.answered_at.reset();
    if (standing != Standing::pending) peer.code.clear();
    if (daily_cap) peer.daily_cap = *daily_cap;
    change.update(peers, *row);
    messages.clear();
    if (is_new) greet(change, peer, messages);
    return peer;
  };
  auto decided = co_await store::transact(tenant, step);
  if (decided) outbox_.wake(messages);
  co_return decided;
}

web::Task<web::Result<Peer>> Admission::remove_cap(store::UserId owner, std::string id) {
  const auto edit = [](Peer& stored) {
    stored.daily_cap.reset();
    stored.answered_at.reset();
  };
  auto peer = co_await system_.modify(peers, owner, std::move(id), edit);
  if (!peer) co_return web::not_found("No such person");
  co_return std::move(*peer);
}

web::Result<Peer> Admission::pending_with(store::UserId owner, const std::string& channel,
                                          std::string_view code) const {
  const auto wanted = web::lower_case(web::trim(code, web::white_space));
  for (auto& peer : system_.tenant(owner).find(peers, "channel", channel, max_listed_peers))
    if (peer.standing == Standing::pending && !wanted.empty() && crypto::constant_time_equal(peer.code, wanted))
      return std::move(peer);
  return web::not_found("No person who waits has this code");
}

web::Task<web::Result<Invited>> Admission::invite(store::UserId owner, std::string channel, bool is_for_owner) {
  const auto tenant = system_.tenant(owner);
  if (!tenant.get(table, channel)) co_return web::not_found("No such channel");
  Invited invited{
      .secret = crypto::random_token(invitation_bytes), .url = {}, .expires_at = store::now() + invitation_lifetime};
  if (const auto connection = connections_.find(channel))
    invited.url = connection->adapter->invitation_url(invited.secret);
  const Invitation record{.owner = owner,
                          .id = channel + "." + crypto::sha256_hex(invited.secret),
                          .channel = channel,
                          .is_for_owner = is_for_owner,
                          .expires_at = invited.expires_at};
  auto change = tenant.change();
  change.insert_new(invitations, record);
  co_await change.commit();
  co_return invited;
}

web::Task<> Admission::prune() {
  for (const auto& old : system_.find_range(invitations, "expires", store::Time(), store::now())) {
    const auto row = system_.get(invitations, old.owner, old.id);
    if (!row) continue;
    auto change = system_.change();
    change.erase(invitations, *row);
    co_await change.commit(store::Durability::relaxed);
  }
}

}  // namespace channels
