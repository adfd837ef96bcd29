#pragma once

#include <boost/asio/thread_pool.hpp>
#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/media/videos/links.h"
#include "appliance/media/videos/order.h"
#include "appliance/media/videos/videos.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace videos {

// What the rows depend on; all of it must outlive them.
struct Services {
  Videos& videos;
  const Links& links;
  const std::string& web_url;
  boost::asio::thread_pool& blocking;
};

struct VideoAnswer {
  std::string url, id;
  store::Time expiresAt;
  std::int64_t seconds = 0, bytes = 0;
};
BOOST_DESCRIBE_STRUCT(VideoAnswer, (), (url, id, expiresAt, seconds, bytes))

struct VideoView {
  std::string id;
  Kind type;
  std::string title;
  std::optional<std::string> agentId;
  Status status;
  std::int64_t progress = 0;  // percent
  std::optional<std::string> error, url;
  std::optional<store::Time> expiresAt;
  std::int64_t seconds = 0, bytes = 0;
  store::Time createdAt;
  std::optional<store::Time> finishedAt;
};
BOOST_DESCRIBE_STRUCT(VideoView, (),
                      (id, type, title, agentId, status, progress, error, url, expiresAt, seconds, bytes, createdAt,
                       finishedAt))

struct VideoList {
  std::vector<VideoView> videos;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(VideoList, (), (videos, count))

struct LinkQuery {
  web::Text<1, 20> expires;
  web::Text<1, 64> signature;
};
BOOST_DESCRIBE_STRUCT(LinkQuery, (), (expires, signature))

// POST /api/generate-video and what becomes of it; the files themselves.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// The same for agents.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace videos
