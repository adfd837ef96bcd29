#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/gate/turns.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/network/data_feeds/data_feeds.h"
#include "appliance/network/data_feeds/own_feeds.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace data_feeds {

// What the rows depend on; all of it must outlive them.
struct Services {
  DataFeeds& feeds;
  OwnFeedReader& own;
  audit::Audit& audit;
  gate::TurnTracker& turns;
};

BOOST_DEFINE_ENUM_CLASS(FeedKind, json, rss, box)
BOOST_DEFINE_ENUM_CLASS(FeedStatus, ok, stale, failed, pending)

struct FeedQuery {
  std::optional<web::Text<1, 100>> feed;
};
BOOST_DESCRIBE_STRUCT(FeedQuery, (), (feed))

struct FeedView {
  std::string name;
  FeedKind kind = FeedKind::box;
  std::string description;
  FeedStatus status = FeedStatus::ok;
  std::optional<store::Time> fetchedAt;
  std::optional<std::int64_t> ageSeconds, intervalSeconds;
  std::optional<std::string> error;
};
BOOST_DESCRIBE_STRUCT(FeedView, (), (name, kind, description, status, fetchedAt, ageSeconds, intervalSeconds, error))

struct FeedList {
  std::vector<FeedView> feeds;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(FeedList, (), (feeds, count))

struct FeedContent : FeedView {
  boost::json::value data;  // null: the source has not answered well yet
};
BOOST_DESCRIBE_STRUCT(FeedContent, (FeedView), (data))

struct OneFeed {
  FeedContent feed;
};
BOOST_DESCRIBE_STRUCT(OneFeed, (), (feed))

struct FeedRequest {
  Format kind = Format::json;
  web::Text<1, 2'000> url;
  std::optional<web::Text<1, 200>> description;
  std::optional<web::Integer<60, 86'400>> intervalSeconds;
};
BOOST_DESCRIBE_STRUCT(FeedRequest, (), (kind, url, description, intervalSeconds))

struct ConfiguredFeed : FeedView {
  std::string url;
};
BOOST_DESCRIBE_STRUCT(ConfiguredFeed, (FeedView), (url))

struct ConfiguredFeeds {
  std::vector<ConfiguredFeed> feeds;
};
BOOST_DESCRIBE_STRUCT(ConfiguredFeeds, (), (feeds))

// Reading feeds, for users and agents; configuring them, for the administrator.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace data_feeds
