#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/media/stream_webhooks/assets.h"
#include "appliance/media/streams/streams.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace stream_webhooks {

// What the rows depend on; all of it must outlive them.
struct Services {
  streams::Streams& streams;
  Assets& assets;
  const std::string& secret;  // empty: no webhook is accepted
};

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

// The receiver of the provider's webhooks, and for administrators the recordings.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace stream_webhooks
