#include "appliance/network/data_feeds/routes.h"

#include "appliance/network/data_feeds/handlers.h"

namespace data_feeds {

namespace {

const web::RateLimit feeds_rate{.group = "data-feeds", .limit = 120};

constexpr const char* read_text =
    "{feeds[], count}, or with `feed` {feed} with its `data`. `status` is ok, stale (the last attempt failed: `data` "
    "is "
    "the last good answer, `ageSeconds` old), failed or pending (no answer yet: `data` is null). `data` of the kind "
    "json is what the source sent; of rss {title, link, description, items[{id, title, link, summary, published}]}; "
    "the kind box is the box's own: models, status and usage, about the caller. 404 for an unknown feed.";
constexpr const char* set_text =
    "Adds or replaces a feed. The source is asked every `intervalSeconds` (900), 60 to 86,400, with its ETag, through "
    "the address filter (FEEDS_ALLOW_PRIVATE), and may send 1 MB. `kind` is json, or rss for RSS and Atom. At most 100 "
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
