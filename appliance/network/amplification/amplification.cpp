#include "appliance/network/amplification/amplification.h"

#include "appliance/network/bus/records.h"
#include "web/routes/fields.h"

namespace amplification {

namespace {

constexpr std::size_t followers_at_once = 50, followed_at_most = 1'000, posts_swept_at_once = 200;

struct PostPayload {
  web::Prose<1, 4'000> text;
  std::optional<web::Text<1, 2'048>> url;
};
BOOST_DESCRIBE_STRUCT(PostPayload, (), (text, url))

struct SharePayload {
  web::Integer<1, INT64_MAX> postId;
};
BOOST_DESCRIBE_STRUCT(SharePayload, (), (postId))

struct FollowPayload {
  web::Id agentId;
};
BOOST_DESCRIBE_STRUCT(FollowPayload, (), (agentId))

boost::json::object context_of(const Post& post, std::int64_t hops) {
  boost::json::object shown{{"id", post.id}, {"author", post.author}, {"hops", hops}};
  boost::json::object context;
  context["post"] = std::move(shown);
  return context;
}

// That an agent got a post, in the table of what counts once. No agent's id is "post".
std::string receipt_id(std::int64_t post, const std::string& agent) {
  return bus::sent_id("post", std::to_string(post) + "/" + agent);
}

bus::Sent receipt(std::int64_t post, std::int64_t hops, store::UserId owner, const std::string& agent) {
  return {.owner = owner,
          .id = receipt_id(post, agent),
          .digest = {},
          .context = boost::json::object{{"hops", hops}},
          .accepted_at = store::now()};
}

void begin_spread(Post& post, const std::string& from, std::int64_t hops) {
  post.spreads.push_back({.from = from, .hops = hops, .after = {}});
  if (!post.spreading) post.spreading = store::now();
}

}  // namespace

web::Task<web::Result<bus::Effect>> Amplification::apply(store::Change& change, const bus::Outgoing& message,
                                                         const bus::Participant& sender) {
  if (message.action == "AMPLIFY_POST") co_return co_await post(change, message);
  if (message.action == "AMPLIFY_SHARE") co_return share(change, message, sender);
  if (message.action == "AMPLIFY_FOLLOW") co_return follow(change, message, sender);
  if (message.action == "AMPLIFY_UNFOLLOW") co_return unfollow(change, message, sender);
  co_return web::invalid("action must be one of: AMPLIFY_POST, AMPLIFY_SHARE, AMPLIFY_FOLLOW, AMPLIFY_UNFOLLOW");
}

web::Error Amplification::over_bound(const store::Outcome& outcome, const bus::Outgoing&) const {
  throw std::logic_error("amplification bounds no counter: " + outcome.index);
}

web::Task<web::Result<bus::Effect>> Amplification::post(store::Change& change, const bus::Outgoing& message) const {
  const auto payload = web::parse_value<PostPayload>(message.payload, "payload");
  if (!payload) co_return payload.error();
  const auto id = co_await system_.next_id("bus_posts");
  Post post{.id = id,
            .author = message.from,
            .text = payload->text,
            .url = {},
            .spreads = {},
            .created_at = store::now(),
            .spreading = {}};
  if (payload->url) post.url = *payload->url;
  begin_spread(post, message.from, 1);
  change.insert(posts, post);
  bus::Effect effect{.to = message.to, .context = context_of(post, 0)};
  co_return effect;
}

web::Result<bus::Effect> Amplification::share(store::Change& change, const bus::Outgoing& message,
                                              const bus::Participant& sender) const {
  const auto payload = web::parse_value<SharePayload>(message.payload, "payload");
  if (!payload) return payload.error();
  auto post = system_.get(posts, payload->postId);
  const auto got = system_.get(bus::sent, sender.owner, receipt_id(payload->postId, sender.id));
  if (!post || !got) return web::not_found("No such post");
  const auto* received = got->value.context.if_contains("hops");
  const auto hops = (received ? received->to_number<std::int64_t>() : max_hops) + 1;
  if (hops > max_hops)
    return web::conflict("The post has been passed on " + std::to_string(max_hops) + " times, which is the limit.");
  begin_spread(post->value, sender.id, hops);
  change.update(posts, *post);
  return bus::Effect{.to = message.to, .context = context_of(post->value, hops - 1)};
}

web::Result<bus::Effect> Amplification::follow(store::Change& change, const bus::Outgoing& message,
                                               const bus::Participant& sender) const {
  const auto payload = web::parse_value<FollowPayload>(message.payload, "payload");
  if (!payload) return payload.error();
  const std::string followed = payload->agentId;
  if (!message.to.empty() && message.to != followed) return web::invalid("to must be the agent of payload.agentId");
  if (followed == sender.id) return web::invalid("payload.agentId must not be the sender");
  const Follow follow{.owner = sender.owner,
                      .id = follow_id(sender.id, followed),
                      .follower = sender.id,
                      .followed = followed,
                      .created_at = store::now()};
  const auto tenant = system_.tenant(sender.owner);
  if (const auto row = tenant.get(follows, follow.id))
    change.require(follows, *row);
  else
    change.insert(follows, follow);
  return bus::Effect{.to = followed, .context = {}};
}

web::Result<bus::Effect> Amplification::unfollow(store::Change& change, const bus::Outgoing& message,
                                                 const bus::Participant& sender) const {
  const auto payload = web::parse_value<FollowPayload>(message.payload, "payload");
  if (!payload) return payload.error();
  const auto row = system_.tenant(sender.owner).get(follows, follow_id(sender.id, payload->agentId));
  if (row) change.erase(follows, *row);
  return bus::Effect{};
}

web::Task<> Amplification::spread() {
  for (const auto& post : system_.find_range(posts, "spreading", store::Time{}, store::Time::max(), followers_at_once))
    co_await spread_page(post.id);
}

web::Task<> Amplification::spread_page(std::int64_t id) {
  auto row = system_.get(posts, id);
  if (!row || row->value.spreads.empty()) co_return;
  auto& post = row->value;
  auto& spread = post.spreads.front();
  // Behind the last one; ids of agents contain no character below '0'.
  const auto first = spread.from + "/" + spread.after + (spread.after.empty() ? "" : "!");
  const auto page = system_.find_range(follows, "followers", first, spread.from + "0", followers_at_once);
  auto change = system_.change();
  std::vector<std::string> lanes;
  for (const auto& follow : page) {
    for (auto& lane : deliver(change, post, spread, follow)) lanes.push_back(std::move(lane));
    spread.after = follow.follower;
  }
  if (page.size() < followers_at_once) post.spreads.erase(post.spreads.begin());
  if (post.spreads.empty()) post.spreading.reset();
  change.update(posts, *row);
  const auto outcome = co_await change.commit();
  if (outcome.ok()) worker_.wake(std::move(lanes));
}

std::vector<std::string> Amplification::deliver(store::Change& change, const Post& post, const Spread& spread,
                                                const Follow& follow) {
  const auto sharer = bus::find_participant(system_, spread.from);
  const auto follower = bus::find_participant(system_, follow.owner, follow.follower);
  if (!sharer || !follower || follow.follower == post.author) return {};
  if (!bus::admits(follower->value, sharer->value)) return {};
  const auto got = receipt(post.id, spread.hops, follow.owner, follow.follower);
  if (system_.get(bus::sent, got.owner, got.id)) return {};
  bus::Outgoing message{.message_id = "post_" + std::to_string(post.id),
                        .from = spread.from,
                        .to = follow.follower,
                        .action = "AMPLIFY_POST",
                        .payload = boost::json::object{{"text", post.text}}};
  if (!post.url.empty()) message.payload["url"] = post.url;
  change.require(bus::participants, *follower);  // its deletion removes its messages only once
  change.insert(bus::sent, got);
  return worker_.post(change, message, context_of(post, spread.hops), follower->value);
}

web::Task<> Amplification::sweep(store::Time now) {
  for (const auto& post : system_.find_range(posts, "created", store::Time{}, now - bus::kept, posts_swept_at_once)) {
    const auto row = system_.get(posts, post.id);
    if (!row) continue;
    auto change = system_.change();
    change.erase(posts, *row);
    co_await change.commit(store::Durability::relaxed);  // stale: the next sweep finds it
  }
}

web::Task<> Amplification::forget(store::UserId owner, std::string agent) {
  auto own = system_.tenant(owner).list(follows, {.limit = std::size_t(-1)});
  std::erase_if(own, [&](const Follow& follow) { return follow.follower != agent; });
  for (const auto& follow : own) {
    const auto row = system_.get(follows, follow.owner, follow.id);
    if (!row) continue;
    auto change = system_.change();
    change.erase(follows, *row);
    co_await change.commit();
  }
  for (;;) {
    auto change = system_.change();
    const auto followers = system_.find_range(follows, "followers", agent + "/", agent + "0", followed_at_most);
    if (followers.empty()) co_return;
    for (const auto& follow : followers)
      if (const auto row = system_.get(follows, follow.owner, follow.id)) change.erase(follows, *row);
    co_await change.commit();
  }
}

}  // namespace amplification
