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

web::Task<web::Result<FeedContent>> find_content(const Services& services, std::string name, store::UserId user) {
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

web::Answer read_feeds(const Services& services, const web::Request& request, FeedQuery query) {
  if (!query.feed) co_return web::reply(list_of(services), 200);
  const bool is_others = !own_feed(*query.feed) && !request.caller.agent.empty();
  auto content = co_await find_content(services, std::move(*query.feed), request.caller.user_id);
  if (!content) co_return content.error();
  if (is_others) services.turns.taint(request.caller.agent, "a data feed");
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

const web::RateLimit feeds_rate{.group = "data-feeds", .limit = 120};

constexpr const char* read_text =
    "{feeds[], count}, or with `feed` {feed} with its `data`. `status` is ok, stale (the last attempt failed: `data` "
    "is "
    "the last good answer, `ageSeconds` old), failed or pending (no answer yet: `data` is null). `data` of the kind "
    "json is what the source sent; of rss {title, link, description, items[{id, title, link, summary, published}]}; "
    "the kind box is the box's own: models, status and usage, about the caller. 404 for an unknown feed.";
constexpr const char* set_text =
    "Adds or replaces a feed. The source is asked every `intervalSeconds` (900), 60 to 86,400, with its ETag, through "
    "the address filter (FEEDS_ALLOW_PRIVATE), and may send 1 MB. `kind` is json, or rss for RSS, Atom and JSON Feed. "
    "At most 100 "
    "feeds (429); 409 for the names of the box's own.";

web::Endpoint reading(const web::Bind<Services>& on) {
  return web::query<FeedQuery>(on(read_feeds)).returns<FeedList>().describe(read_text).fails({web::Kind::not_found});
}

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/data-feeds", guards.session, &feeds_rate, reading(on), "List the data feeds, or read one"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& internal = guards.backend.internal;
  return {
      {web::GET, "/api/data-feeds", guards.backend.box, nullptr, reading(on), "List the data feeds, or read one"},
      {web::GET, "/api/agent-feeds", guards.agent_token, nullptr, reading(on),
       "List the data feeds, or read one, for the calling agent"},
      {web::GET, "/api/admin/data-feeds", internal, nullptr, web::plain(on(list_configured)).returns<ConfiguredFeeds>(),
       "List the configured data feeds with their URLs"},
      {web::PUT, "/api/admin/data-feeds/:name", internal, nullptr,
       web::body<FeedRequest>(on(set_feed))
           .returns<ConfiguredFeed>()
           .describe(set_text)
           .fails({web::Kind::conflict, web::Kind::too_many}),
       "Configure a data feed"},
      {web::DELETE, "/api/admin/data-feeds/:name", internal, nullptr,
       web::plain(on(remove_feed)).returns<web::Succeeded>(), "Remove a data feed"},
  };
}

}  // namespace data_feeds
