#include "appliance/ai/routes.h"

#include <boost/json.hpp>

#include "appliance/ai/openai_wire.h"
#include "web/endpoint.h"

namespace ai {

namespace json = boost::json;

namespace {

// For the OpenAPI document only: the body is read by openai::parse_request, whose errors have the form clients expect.
struct CompletionBody {
  std::optional<web::Text<0, 200>> model;
  web::List<json::object, 1, openai::max_messages> messages;
  std::optional<web::List<json::object, 0, openai::max_tools>> tools;
  std::optional<double> temperature, top_p;
  std::optional<web::Integer<1, 1'000'000>> max_tokens;
  std::optional<bool> stream;
};
BOOST_DESCRIBE_STRUCT(CompletionBody, (), (model, messages, tools, temperature, top_p, max_tokens, stream))

web::Result<ChatRequest> parse(const web::Request& request) {
  auto body = web::parse_body<json::object>(request);
  if (!body) return body.error();
  return openai::parse_request(json::value(std::move(*body)));
}

web::Response streamed(ChatAnswer answer, bool include_usage) {
  auto response = web::server_sent_events(
      [events = openai::stream_events(answer, include_usage)](web::StreamWriter& writer) -> web::Task<> {
        for (const auto& event : events) co_await writer.event(event);
      });
  response.set("X-Accel-Buffering", "no");
  return response;
}

web::Endpoint completions(Ai& ai) {
  auto endpoint = web::plain([&ai](web::Request& request) -> web::Task<web::Result<web::Response>> {
    auto parsed = parse(request);
    if (!parsed) co_return openai::error_response(parsed.error());
    const bool stream = parsed->stream, include_usage = parsed->include_usage;
    Who who{.user_id = request.caller.user_id, .agent = request.caller.agent};
    auto answer = co_await ai.complete(std::move(*parsed), std::move(who));
    if (!answer) co_return openai::error_response(answer.error());
    if (stream) co_return streamed(std::move(*answer), include_usage);
    co_return web::json(openai::to_wire(*answer));
  });
  endpoint.body = web::schema_of<CompletionBody>();
  endpoint.description =
      "The OpenAI chat-completions form, tools included; with stream: true the answer is server-sent events.";
  return endpoint;
}

web::Endpoint models(Ai& ai) {
  return web::plain([&ai](web::Request&) -> web::Task<web::Result<web::Response>> {
    const auto listed = co_await ai.models();
    if (!listed) co_return openai::error_response(listed.error());
    json::array data;
    for (const auto& model : *listed) {
      data.push_back({{"id", model.id}, {"object", "model"}, {"created", 0}, {"owned_by", model.provider}});
    }
    co_return web::json(json::object{{"object", "list"}, {"data", std::move(data)}});
  });
}

}  // namespace

std::vector<web::Route> routes(Ai& ai, const agentbox::Guards& guards) {
  return {
      {web::POST, "/v1/chat/completions", guards.agent_token, nullptr, completions(ai), "Ask the box's model"},
      {web::GET, "/v1/models", guards.agent_token, nullptr, models(ai), "The models the box's provider lists"},
  };
}

}  // namespace ai
