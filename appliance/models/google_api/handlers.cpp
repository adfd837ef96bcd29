#include "appliance/models/google_api/handlers.h"

#include <algorithm>

#include "appliance/models/google_api/generate_wire.h"
#include "appliance/models/openai_api/model_call.h"
#include "appliance/models/token_counts.h"
#include "web/json.h"
#include "web/protocol/event_text.h"
#include "web/routes/endpoint.h"
#include "web/routes/reply.h"

namespace models::google_api {

namespace json = boost::json;

namespace {

constexpr const char* call_text =
    "Google's API, for every model of the box. The path ends in the name of the model and the method: "
    "`<model>:generateContent`, `<model>:streamGenerateContent` (server-sent events with `?alt=sse`, else a JSON array "
    "that grows) or `<model>:countTokens`, an estimate that is free of charge. Text, images, audio, files, function "
    "declarations, toolConfig, thinkingConfig, responseSchema and responseJsonSchema reach the model; "
    "thoughtSignature, which is sent back unchanged, holds its reasoning. The vendor's own tools (googleSearch, ...) "
    "and "
    "cachedContent are refused by name. The key is sent as x-goog-api-key, as a bearer token or as `?key=`. Otherwise "
    "as /v1/chat/completions, whose limits apply.";
constexpr const char* bare_text = "The same as /v1beta/models/{model}, for clients that leave `models/` out.";
constexpr const char* stable_text =
    "The same as /v1beta/models/{model}, for clients that use this version of Google's API.";

constexpr std::string_view generate_method = "generateContent", stream_method = "streamGenerateContent",
                           count_method = "countTokens";

struct CalledMethod {
  std::string model, name;
};

// From the end of the path: "vendor/model:tag:generateContent". In front of it may be the version, for clients that are
// given an address with the version and add it themselves.
web::Result<CalledMethod> called_method(std::string_view path) {
  for (const std::string_view prefix : {"v1beta/", "v1/", "models/"})
    if (path.starts_with(prefix)) path.remove_prefix(prefix.size());
  const auto colon = path.rfind(':');
  const auto name = colon == path.npos ? std::string_view() : path.substr(colon + 1);
  if (colon == 0 || (name != generate_method && name != stream_method && name != count_method))
    return web::not_found(
        "Not found: the path must end in <model>:generateContent, :streamGenerateContent or :countTokens");
  return CalledMethod{.model = std::string(path.substr(0, colon)), .name = std::string(name)};
}

struct CallQuery {
  std::optional<std::string> alt;
};
BOOST_DESCRIBE_STRUCT(CallQuery, (), (alt))

// How the pieces of a streamed answer are written: as events, or as the elements of one array.
class Framing {
 public:
  explicit Framing(bool is_events) : is_events_(is_events) {}

  bool is_events() const { return is_events_; }
  void append(std::string& text, const json::object& piece) {
    if (is_events_) return web::append_event(text, json::serialize(piece));
    text += std::exchange(is_open_, true) ? ",\r\n" : "[";
    text += json::serialize(piece);
  }
  void end(std::string& text) const {
    if (!is_events_) text += is_open_ ? "]" : "[]";
  }

 private:
  const bool is_events_;
  bool is_open_ = false;
};

struct Streamed {
  CallHandle handle;
  Framing framing;
  const bool includes_thoughts;
};

web::Task<> send_pieces(Streamed& streamed, web::StreamWriter& writer) {
  auto& [handle, framing, includes_thoughts] = streamed;
  const bool takes_comments = framing.is_events();
  // The model is known once it has begun.
  auto pieces = co_await openai_api::next_pieces(handle, writer, takes_comments);
  generate::Output output(handle.serving(), includes_thoughts);
  for (; !pieces.empty(); pieces = co_await openai_api::next_pieces(handle, writer, takes_comments)) {
    std::string text;
    for (const auto& piece : pieces)
      if (const auto part = output.take(piece)) framing.append(text, *part);
    if (!text.empty()) co_await writer.write(std::move(text));
  }
  const auto answer = co_await handle.answer();
  std::string end;
  framing.append(end, answer ? output.finish(*answer) : generate::error_body(answer.error()));
  framing.end(end);
  co_await writer.write(std::move(end));
}

web::Response reply_with_pieces(CallHandle handle, bool is_events, bool includes_thoughts) {
  const auto streamed = std::make_shared<Streamed>(Streamed{std::move(handle), Framing(is_events), includes_thoughts});
  auto response = openai_api::unbuffered_events(
      [streamed](web::StreamWriter& writer) -> web::Task<> { return send_pieces(*streamed, writer); });
  if (!is_events) response.content_type = "application/json";
  return response;
}

// countTokens also takes the whole request in a member.
web::Result<web::Response> count_tokens(const json::object& body, std::string model) {
  const auto* whole = web::object_member(body, "generateContentRequest");
  const auto parsed = generate::parse_request(whole ? *whole : body, std::move(model));
  if (!parsed) return parsed.error();
  return web::json(json::object{{"totalTokens", counted_tokens(parsed->request)}});
}

json::object to_wire(const ListedModel& model) {
  json::array methods;
  for (const auto method : {generate_method, stream_method, count_method}) methods.push_back(json::value(method));
  json::object wire{{"name", "models/" + model.id},
                    {"baseModelId", model.id},
                    {"version", "1"},
                    {"displayName", model.name},
                    {"description", model.description},
                    {"supportedGenerationMethods", std::move(methods)}};
  if (!model.entry) return wire;
  const auto& entry = *model.entry;
  if (entry.context > 0) wire["inputTokenLimit"] = entry.context;
  wire["outputTokenLimit"] = entry.max_output;
  if (entry.efforts) wire["thinking"] = !entry.efforts->empty();
  return wire;
}

web::Endpoint endpoint(const web::Bind<Services>& on, web::Answer (*handler)(const Services&, const web::Request&)) {
  auto endpoint = web::plain(on(handler));
  endpoint.problem = generate::error_schema;
  return endpoint;
}

}  // namespace

web::Answer call_model(const Services& services, const web::Request& request) {
  const auto method = called_method(request.param("model"));
  if (!method) co_return method.error();
  const auto query = web::parse_query<CallQuery>(request);
  if (!query) co_return query.error();
  if (query->alt && *query->alt != "sse" && *query->alt != "json") co_return web::invalid("alt must be sse or json");
  const auto body = web::parse_body<json::object>(request);
  if (!body) co_return body.error();
  if (method->name == count_method) co_return count_tokens(*body, method->model);
  auto parsed = generate::parse_request(*body, method->model);
  if (!parsed) co_return parsed.error();
  const bool stream = method->name == stream_method, includes_thoughts = parsed->includes_thoughts;
  auto call = openai_api::model_call(services, request, std::move(parsed->request));
  if (!call) co_return call.error();
  auto handle = co_await CallHandle::start(services.gateway, std::move(*call), stream);
  if (stream) {
    auto failed = co_await openai_api::early_failure(handle);
    if (failed) co_return std::move(*failed);
    co_return reply_with_pieces(std::move(handle), query->alt == "sse", includes_thoughts);
  }
  const auto answer = co_await handle.answer();
  if (!answer) co_return openai_api::as_openai_has_it(answer.error());
  co_return web::json(generate::Output(answer->model, includes_thoughts).whole(*answer));
}

web::Answer list_models(const Services& services, const web::Request& request) {
  const auto models = co_await openai_api::usable_models(services.gateway, request.caller);
  if (!models) co_return models.error();
  json::array list;
  for (const auto& model : *models) list.push_back(to_wire(model));
  co_return web::json(json::object{{"models", std::move(list)}});
}

web::Answer show_model(const Services& services, const web::Request& request) {
  const auto model = co_await openai_api::usable_model(services.gateway, request.caller, request.param("model"));
  if (!model) co_return model.error();
  co_return web::json(to_wire(*model));
}

std::vector<web::Route> routes(const web::Guard& guard, const web::Bind<Services>& on) {
  const auto calling = [&on](const char* text) {
    auto called = endpoint(on, call_model).describe(text);
    called.body = web::schema_of<GenerateBody>;
    return called;
  };
  auto stable = calling(stable_text);
  stable.problem = openai::error_schema;  // as everything below /v1
  return {{web::POST, "/v1beta/models/:model+", guard, nullptr, calling(call_text), "Ask a model"},
          {web::POST, "/v1beta/:model+", guard, nullptr, calling(bare_text), "Ask a model"},
          {web::POST, "/v1/models/:model+", guard, nullptr, std::move(stable), "Ask a model"},
          {web::GET, "/v1beta/models", guard, nullptr, endpoint(on, list_models), "List the models you can use"},
          {web::GET, "/v1beta/models/:model+", guard, nullptr, endpoint(on, show_model), "Show a model you can use"}};
}

}  // namespace models::google_api
