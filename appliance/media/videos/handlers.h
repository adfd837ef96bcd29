#pragma once

#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/media/videos/order.h"
#include "appliance/media/videos/routes.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace videos {

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

web::Answer generate(const Services&, const web::Request&, boost::json::object);
web::Answer list_videos(const Services&, const web::Request&);
web::Answer show_video(const Services&, const web::Request&);
web::Answer follow_video(const Services&, const web::Request&);
web::Answer remove_video(const Services&, const web::Request&);
web::Answer send_video(const Services&, const web::Request&, LinkQuery);
web::Answer generate_for_agent(const Services&, const web::Request&, boost::json::object);

}  // namespace videos
