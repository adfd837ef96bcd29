// Videos that the agent has made, and its live stream. The box makes and sends them.
#include <boost/json.hpp>

#include "appliance/agent/tools/box_client.h"
#include "appliance/agent/tools/toolbox.h"

namespace agent_process {

namespace json = boost::json;

namespace {

struct VideoArguments {
  web::Text<1, 20> type;
  web::Text<1, 100> title;
  std::optional<web::Prose<1, 1'000>> text;
  std::optional<web::List<web::Prose<1, 300>, 1, 10>> points;
  std::optional<web::Text<1, 2'000>> imageUrl;
  std::optional<web::Integer<10, 60>> duration;
  std::optional<web::Text<2, 12>> language;
};
BOOST_DESCRIBE_STRUCT(VideoArguments, (), (type, title, text, points, imageUrl, duration, language))

struct VideoId {
  web::Id videoId;
};
BOOST_DESCRIBE_STRUCT(VideoId, (), (videoId))

struct AirArguments {
  std::optional<web::Prose<1, 5'000>> text;
  std::optional<web::Text<1, 1'000>> file;
  std::optional<web::Text<1, 100>> title;
  std::optional<web::Text<2, 12>> language;
};
BOOST_DESCRIBE_STRUCT(AirArguments, (), (text, file, title, language))

struct Nothing {};
BOOST_DESCRIBE_STRUCT(Nothing, (), ())

// The title and the texts have another name in each type of video; the box says which is missing.
json::object order_of(const VideoArguments& arguments) {
  json::object order{{"type", arguments.type},
                     {"agentName", arguments.title},
                     {"productName", arguments.title},
                     {"topic", arguments.title}};
  if (arguments.text) {
    order["agentDescription"] = *arguments.text;
    order["description"] = *arguments.text;
  }
  if (arguments.points) {
    json::array points;
    for (const auto& point : *arguments.points) points.emplace_back(point);
    order["features"] = points;
    order["steps"] = std::move(points);
  }
  if (arguments.imageUrl) order["imageUrl"] = *arguments.imageUrl;
  if (arguments.duration) order["duration"] = arguments.duration->value;
  if (arguments.language) order["language"] = *arguments.language;
  return order;
}

json::object broadcast_of(const AirArguments& arguments) {
  json::object broadcast;
  if (arguments.text) broadcast["text"] = *arguments.text;
  if (arguments.file) broadcast["file"] = *arguments.file;
  if (arguments.title) broadcast["title"] = *arguments.title;
  if (arguments.language) broadcast["language"] = *arguments.language;
  return broadcast;
}

}  // namespace

std::vector<Tool> media_tools(const std::string& backend_url, const std::string& box_token) {
  const BoxClient client{backend_url, box_token};
  const std::string videos = "/api/agent-videos", broadcast = "/api/agent-broadcast";

  const auto calls = [client](std::string method, std::string path) {
    return [client, method, path](Nothing) -> web::Task<web::Result<json::value>> {
      json::object body;
      co_return co_await client.call(method, path, std::move(body));
    };
  };
  return {
      tool<VideoArguments>("make_video",
                           "Have a short video made. type: demo (title, text), marketing (title, points), tutorial "
                           "(title, points: the steps) or screenshot (imageUrl, text). It takes up to a minute: ask "
                           "show_video for its url.",
                           [client, videos](VideoArguments arguments) -> web::Task<web::Result<json::value>> {
                             auto order = order_of(arguments);
                             co_return co_await client.call("POST", videos, std::move(order));
                           }),
      tool<VideoId>("show_video", "Show a video that you had made: its status, and its url once it is done.",
                    [client, videos](VideoId arguments) -> web::Task<web::Result<json::value>> {
                      json::object body;
                      co_return co_await client.call("GET", videos + "/" + arguments.videoId, std::move(body));
                    }),
      tool<AirArguments>(
          "go_on_air",
          "Send to your live stream: text, which is spoken, or file, a sound file of your workspace. The "
          "answer has the address where people listen.",
          [client, broadcast](AirArguments arguments) -> web::Task<web::Result<json::value>> {
            auto body = broadcast_of(arguments);
            co_return co_await client.call("POST", broadcast, std::move(body));
          }),
      tool<Nothing>("show_broadcast", "Show your present or last broadcast.", calls("GET", broadcast)),
      tool<Nothing>("leave_air", "End your broadcast.", calls("DELETE", broadcast)),
  };
}

}  // namespace agent_process
