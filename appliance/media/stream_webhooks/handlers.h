#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/media/stream_webhooks/routes.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace stream_webhooks {

struct Received {
  bool received = true;
};
BOOST_DESCRIBE_STRUCT(Received, (), (received))

struct AssetQuery {
  std::optional<web::Integer<1, 1000>> limit;
  std::optional<web::Text<1, 200>> before;
};
BOOST_DESCRIBE_STRUCT(AssetQuery, (), (limit, before))

struct AssetView {
  std::string id;
  std::optional<std::string> streamId;
  Fate fate;
  std::int64_t seconds, height, attempts;
  store::Time readyAt;
};
BOOST_DESCRIBE_STRUCT(AssetView, (), (id, streamId, fate, seconds, height, attempts, readyAt))

struct AssetList {
  std::vector<AssetView> assets;
  std::int64_t count = 0;
  std::optional<std::string> next;
};
BOOST_DESCRIBE_STRUCT(AssetList, (), (assets, count, next))

web::Answer receive(const Services&, const web::Request&);
web::Answer list_assets(const Services&, const web::Request&, AssetQuery);

}  // namespace stream_webhooks
