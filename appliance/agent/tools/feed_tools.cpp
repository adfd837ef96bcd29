// The box's data feeds.
#include <boost/json.hpp>

#include "appliance/agent/tools/toolbox.h"
#include "web/client/fetch.h"

namespace agent_process {

namespace json = boost::json;

namespace {

constexpr auto box_time = std::chrono::seconds(10);

struct FeedArguments {
  std::optional<web::Id> feed;
};
BOOST_DESCRIBE_STRUCT(FeedArguments, (), (feed))

web::Task<web::Result<json::value>> read_feed(std::string url, std::string token, std::optional<web::Id> feed) {
  // A feed's name needs no encoding: Id has only letters, digits, '-' and '_'.
  web::FetchRequest request{.url = std::move(url)};
  if (feed) request.url += "?feed=" + *feed;
  request.headers.emplace_back("Authorization", "Bearer " + token);
  request.timeout = box_time;
  request.max_bytes = 4u << 20;
  const auto response = co_await web::fetch(std::move(request));
  if (!response) co_return web::unavailable("The box cannot be reached: " + response.error().message);
  auto answer = web::parse_json(response->body, "answer");
  if (!answer || !answer->is_object()) co_return web::unavailable("The box sent an answer that is not a JSON object");
  if (response->status == 200) co_return std::move(*answer);
  const auto* message = answer->get_object().if_contains("error");
  co_return web::invalid(message && message->is_string() ? std::string(message->get_string()) : "The box refused it");
}

}  // namespace

std::vector<Tool> feed_tools(const std::string& backend_url, const std::string& box_token) {
  return {
      tool<FeedArguments>("read_feed",
                          "Read a data feed of this box: news or data that its administrator chose, or models, status "
                          "and usage. Without a name, list the feeds.",
                          [url = backend_url + "/api/agent-feeds",
                           box_token](FeedArguments arguments) -> web::Task<web::Result<json::value>> {
                            co_return co_await read_feed(url, box_token, std::move(arguments.feed));
                          }),
  };
}

}  // namespace agent_process
