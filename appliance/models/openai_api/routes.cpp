#include "appliance/models/openai_api/routes.h"

#include "appliance/models/openai_api/handlers.h"
#include "web/routes/endpoint.h"

namespace models::openai_api {

namespace {

constexpr const char* completions_text =
    "OpenAI's chat completions: tools, tool_choice, parallel_tool_calls, images, response_format, stop, seed, "
    "penalties "
    "and logit_bias are passed to the model, or refused by name if its provider does not support them. With stream: "
    "true the answer is sent as server-sent events. `n` asks for up to 4 choices, each of which is charged. Calls with "
    "an API key use the plan, quota and caps of its user; "
    "agents use those of their owner.";
constexpr const char* responses_text =
    "OpenAI's responses: `input` is a text or a list of messages, function calls and their outputs. Functions are the "
    "only tools. Responses are not stored: the whole conversation is sent each time, and previous_response_id, "
    "conversation and background are refused. Otherwise as /v1/chat/completions, whose limits apply.";
constexpr const char* embeddings_text =
    "OpenAI's embeddings ({model, input, ...}), passed through to the local server if it lists the model, else to "
    "OpenAI or the router, with the user's own key if there is one.";
constexpr const char* model_text = "The slash in a model's id may be encoded or not.";

web::Endpoint endpoint(const web::Bind<Services>& on, web::Answer (*handler)(const Services&, const web::Request&)) {
  auto endpoint = web::plain(on(handler));
  endpoint.problem = openai::error_schema;
  return endpoint;
}

template <class Body>
web::Endpoint with_body(web::Endpoint endpoint) {
  endpoint.body = web::schema_of<Body>;
  return endpoint;
}

}  // namespace

std::vector<web::Route> routes(const web::Guard& guard, const web::Bind<Services>& on) {
  return {
      {web::POST, "/v1/chat/completions", guard, nullptr,
       with_body<CompletionBody>(endpoint(on, complete_chat)).describe(completions_text), "Ask a model"},
      {web::POST, "/v1/responses", guard, nullptr,
       with_body<ResponseBody>(endpoint(on, create_response)).describe(responses_text), "Ask a model"},
      {web::POST, "/v1/embeddings", guard, nullptr,
       with_body<EmbeddingBody>(endpoint(on, create_embeddings)).describe(embeddings_text), "Create embeddings"},
      {web::GET, "/v1/models", guard, nullptr, endpoint(on, list_models), "List the models you can use"},
      {web::GET, "/v1/models/:model+", guard, nullptr, endpoint(on, show_model).describe(model_text),
       "Show a model you can use"},
  };
}

std::vector<web::Route> caller_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return routes(guards.model_caller, on);
}

}  // namespace models::openai_api
