// What a caller wants to see: the body of POST /api/generate-video.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/media/videos/records.h"
#include "web/result.h"

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

// invalid, naming the field.
web::Result<Order> parse_order(const boost::json::object& body);

}  // namespace videos
