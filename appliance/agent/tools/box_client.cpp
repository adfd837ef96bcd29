#include "appliance/agent/tools/box_client.h"

#include <boost/json.hpp>

#include "web/client/fetch.h"
#include "web/routes/fields.h"

namespace agent_process {

namespace json = boost::json;

namespace {

constexpr std::size_t max_box_answer_bytes = 8u << 20;

}  // namespace

web::Task<web::Result<json::value>> BoxClient::call(std::string method, std::string path, json::object body) const {
  web::FetchRequest request{.url = url + path, .method = std::move(method)};
  request.headers.emplace_back("Authorization", "Bearer " + token);
  if (!body.empty()) {
    request.headers.emplace_back("Content-Type", "application/json");
    request.body = json::serialize(body);
  }
  request.timeout = time;
  request.max_bytes = max_box_answer_bytes;
  const auto response = co_await web::fetch(std::move(request));
  if (!response) co_return web::unavailable("The box cannot be reached: " + response.error().message);
  auto answer = web::parse_json(response->body, "answer");
  if (!answer || !answer->is_object()) co_return web::unavailable("The box sent an answer that is not a JSON object");
  if (response->status < 300) co_return std::move(*answer);
  const auto* message = answer->get_object().if_contains("error");
  co_return web::invalid(message && message->is_string() ? std::string(message->get_string()) : "The box refused it");
}

}  // namespace agent_process
