#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/network/data_feeds/routes.h"
#include "web/routes/endpoint.h"

namespace data_feeds {

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

web::Answer read_feeds(const Services&, const web::Request&, FeedQuery);
web::Answer list_configured(const Services&, const web::Request&);
web::Answer set_feed(const Services&, const web::Request&, FeedRequest);
web::Answer remove_feed(const Services&, const web::Request&);

}  // namespace data_feeds
