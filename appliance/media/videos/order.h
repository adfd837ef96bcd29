// What a caller wants to see: the body of POST /api/generate-video.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/media/videos/records.h"
#include "web/result.h"
#include "web/routes/fields.h"

namespace videos {

struct Order {
  Kind kind = Kind::demo;
  std::string title;                // agentName, productName or topic; empty for a screenshot
  std::string text;                 // agentDescription or description
  std::vector<std::string> points;  // features or steps
  std::string image_url;            // of a screenshot
  std::optional<unsigned> seconds;  // 10 to 60; nothing: as long as its texts need
  std::string language = "en";      // of the narration
  bool is_narrated = true;          // where espeak-ng is installed
};

// The body of a request. Which members it needs depends on the type; those of other types are not used.
struct VideoRequest {
  Kind type;
  std::optional<web::Text<1, 100>> agentName, productName, topic;
  std::optional<web::Prose<1, 1'000>> agentDescription, description;
  std::optional<web::Text<1, 2'000>> imageUrl;
  std::optional<boost::json::value> features, steps;  // a list of texts, or one text
  std::optional<web::Integer<10, 60>> duration;
  std::optional<bool> narration;
  std::optional<web::Text<2, 12>> language;
  std::optional<bool> async;
};
BOOST_DESCRIBE_STRUCT(VideoRequest, (),
                      (type, agentName, productName, topic, agentDescription, description, imageUrl, features, steps,
                       duration, narration, language, async))

// invalid, naming the field.
web::Result<Order> parse_order(const boost::json::object& body);

}  // namespace videos
