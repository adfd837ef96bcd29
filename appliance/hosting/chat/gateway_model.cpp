#include "appliance/hosting/chat/gateway_model.h"

#include <boost/json.hpp>

#include "web/client/fetch.h"

namespace chat {
namespace {

constexpr std::chrono::seconds longest_wait{10};
constexpr std::size_t largest_list = 1u << 20;

}  // namespace

web::Task<std::optional<std::string>> model_named_by_gateway(const agents::Agent& agent) {
  web::FetchRequest request;
  request.url = "http://127.0.0.1:" + std::to_string(*agent.port) + "/v1/models";
  request.headers = {{"Authorization", "Bearer " + agent.gateway_token.clear}};
  request.timeout = longest_wait;
  request.max_bytes = largest_list;
  const auto own_name = agent.model;
  const auto answer = co_await web::fetch(std::move(request));
  if (!answer || answer->status != 200) co_return std::nullopt;
  boost::system::error_code failed;
  const auto body = boost::json::parse(answer->body, failed);
  if (failed) co_return std::nullopt;
  const auto* data = body.find_pointer("/data", failed);
  if (!data || !data->is_array()) co_return std::nullopt;
  std::optional<std::string> first;
  for (const auto& model : data->get_array()) {
    const auto* id = model.find_pointer("/id", failed);
    if (!id || !id->is_string()) continue;
    if (id->get_string() == own_name) co_return std::nullopt;
    if (!first) first = std::string(id->get_string());
  }
  co_return first;
}

}  // namespace chat
