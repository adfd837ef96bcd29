#include "appliance/network/data_feeds/handlers.h"

namespace data_feeds {

namespace {

FeedStatus status_of(const std::optional<Answer>& answer) {
  if (!answer) return FeedStatus::pending;
  if (answer->error.empty()) return FeedStatus::ok;
  return answer->content.empty() ? FeedStatus::failed : FeedStatus::stale;
}

FeedView view(const Source& source, store::Time now) {
  FeedView view{.name = source.feed.name,
                .kind = source.feed.format == Format::rss ? FeedKind::rss : FeedKind::json,
                .description = source.feed.description,
                .status = status_of(source.answer),
                .intervalSeconds = source.feed.interval_seconds};
  if (!source.answer) return view;
  view.fetchedAt = source.answer->fetched_at;
  if (view.fetchedAt) view.ageSeconds = std::chrono::duration_cast<std::chrono::seconds>(now - *view.fetchedAt).count();
  if (!source.answer->error.empty()) view.error = source.answer->error;
  return view;
}

FeedView view(const OwnFeed& feed, store::Time now) {
  return {.name = std::string(feed.name),
          .kind = FeedKind::box,
          .description = std::string(feed.description),
          .status = FeedStatus::ok,
          .fetchedAt = now,
          .ageSeconds = 0,
          .intervalSeconds = {},
          .error = {}};
}

web::Task<web::Result<FeedContent>> content_of(const Services& services, std::string name, store::UserId user) {
  const auto now = store::now();
  if (const auto* own = own_feed(name)) {
    FeedContent content{view(*own, now), {}};
    content.data = co_await services.own.read(own->name, user);
    co_return content;
  }
  const auto source = services.feeds.find(name);
  if (!source) co_return web::not_found("No such data feed");
  FeedContent content{view(*source, now), {}};
  if (source->answer && !source->answer->content.empty())
    content.data = web::parse_json(source->answer->content, "The stored answer").value();
  co_return content;
}

FeedList list_of(const Services& services) {
  FeedList answer;
  const auto now = store::now();
  for (const auto& own : own_feeds()) answer.feeds.push_back(view(own, now));
  for (const auto& source : services.feeds.list()) answer.feeds.push_back(view(source, now));
  answer.count = std::int64_t(answer.feeds.size());
  return answer;
}

}  // namespace

web::Answer read_feeds(const Services& services, const web::Request& request, FeedQuery query) {
  if (!query.feed) co_return web::reply(list_of(services), 200);
  auto content = co_await content_of(services, std::move(*query.feed), request.caller.user_id);
  if (!content) co_return content.error();
  const OneFeed answer{.feed = std::move(*content)};
  co_return web::reply(answer, 200);
}

web::Answer list_configured(const Services& services, const web::Request&) {
  ConfiguredFeeds answer;
  const auto now = store::now();
  for (const auto& source : services.feeds.list()) answer.feeds.push_back({view(source, now), source.feed.url.clear});
  co_return web::reply(answer, 200);
}

web::Answer set_feed(const Services& services, const web::Request& request, FeedRequest body) {
  const auto& name = request.param("name");
  if (own_feed(name)) co_return web::conflict("The box itself offers a feed of this name");
  NewFeed feed{.name = name, .format = body.kind, .url = std::move(body.url), .description = {}};
  if (body.description) feed.description = std::move(*body.description);
  if (body.intervalSeconds) feed.interval = std::chrono::seconds(body.intervalSeconds->value);
  const auto set = co_await services.feeds.set(std::move(feed));
  if (!set) co_return set.error();
  auto entry = audit::of_request(request, "data feed set by admin", name);
  co_await services.audit.note(std::move(entry));
  const auto source = services.feeds.find(name);
  const ConfiguredFeed answer{view(source ? *source : Source{*set, {}}, store::now()), set->url.clear};
  co_return web::reply(answer, 200);
}

web::Answer remove_feed(const Services& services, const web::Request& request) {
  const auto removed = co_await services.feeds.remove(request.param("name"));
  if (!removed) co_return removed.error();
  auto entry = audit::of_request(request, "data feed removed by admin", request.param("name"));
  co_await services.audit.note(std::move(entry));
  const web::Succeeded answer;
  co_return web::reply(answer, 200);
}

}  // namespace data_feeds
