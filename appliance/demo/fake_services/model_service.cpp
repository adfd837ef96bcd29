#include "appliance/demo/fake_services/model_service.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <memory>

#include "appliance/demo/fake_services/page.h"
#include "appliance/models/builtin/builtin.h"
#include "appliance/models/providers/openai_chunks.h"
#include "appliance/models/providers/openai_wire.h"
#include "web/routes/fields_read.h"
#include "web/routes/reply.h"
#include "web/task.h"
#include "web/utf8.h"

namespace demo {

namespace json = boost::json;

namespace {

using namespace std::chrono_literals;

constexpr auto thinking_time = 400ms, time_of_piece = 25ms;
constexpr std::size_t bytes_of_piece = 24;

// Models of the catalogue.
constexpr std::array<std::string_view, 5> served{"openai/gpt-5.4", "openai/gpt-5.4-mini", "openai/gpt-4o-mini",
                                                 "anthropic/claude-haiku-4.5", "google/gemini-3.1-flash-lite"};

web::Response error_answer(int status, std::string message) {
  return web::json(json::object{{"error", json::object{{"message", std::move(message)}}}}, status);
}

json::object list_of_models() {
  json::array models;
  for (const auto id : served) models.push_back(json::object{{"id", id}, {"object", "model"}});
  return {{"object", "list"}, {"data", std::move(models)}};
}

web::Task<> stream(const models::ChatAnswer& answer, bool is_slow, web::StreamWriter& writer) {
  const models::openai::Chunks chunks(answer.id, answer.model);
  if (is_slow) co_await web::sleep_for(thinking_time);
  const auto opening = chunks.opening();
  co_await writer.event(opening);
  std::string_view rest = answer.message.content;
  while (!rest.empty()) {
    const std::string next(web::utf8_prefix(rest, bytes_of_piece));
    rest.remove_prefix(next.size());
    const auto piece = chunks.piece({.text = next});
    co_await writer.event(piece);
    if (is_slow) co_await web::sleep_for(time_of_piece);
  }
  for (std::size_t at = 0; at < answer.message.tool_calls.size(); ++at) {
    const auto& call = answer.message.tool_calls[at];
    const auto piece = chunks.piece({.call = at, .id = call.id, .name = call.name, .arguments = call.arguments});
    co_await writer.event(piece);
  }
  const auto end = chunks.end(answer.finish), usage = chunks.usage(answer.usage);
  co_await writer.event(end);
  co_await writer.event(usage);
  co_await writer.event("[DONE]");
}

}  // namespace

web::Answer ModelService::complete(const web::Request& request) const {
  if (request.header("authorization") != "Bearer " + key_) co_return error_answer(401, "This key is not valid");
  auto body = web::parse_body<json::object>(request);
  if (!body) co_return body.error();
  auto asked = models::openai::parse_request(json::value(std::move(*body)));
  if (!asked) co_return asked.error();
  if (std::ranges::find(served, asked->model) == served.end())
    co_return error_answer(404, "There is no model " + asked->model);
  auto answer = models::builtin_answer(*asked, models::Introduction::left_out);
  answer.id = "gen-" + crypto::random_id(24);
  answer.model = asked->model;
  const bool is_slow = is_slow_;
  if (asked->stream) {
    const auto shared = std::make_shared<const models::ChatAnswer>(std::move(answer));
    co_return web::server_sent_events(
        [shared, is_slow](web::StreamWriter& writer) -> web::Task<> { return stream(*shared, is_slow, writer); });
  }
  if (is_slow) co_await web::sleep_for(thinking_time);
  co_return web::json(models::openai::to_wire(answer));
}

std::vector<std::string> ModelService::models() { return {served.begin(), served.end()}; }

std::vector<web::Route> ModelService::routes() {
  return {row(
              web::POST, "/models/chat/completions", [this](web::Request& request) { return complete(request); },
              "Answers as a model would"),
          row(
              web::GET, "/models/models", [](web::Request&) -> web::Answer { co_return web::json(list_of_models()); },
              "The models that answer")};
}

}  // namespace demo
