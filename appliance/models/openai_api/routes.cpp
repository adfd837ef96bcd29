
#include "appliance/models/google_api/handlers.h"
#include "appliance/models/media_api/handlers.h"
#include "appliance/models/messages_api/handlers.h"
#include "appliance/models/openai_api/handlers.h"
#include "web/routes/endpoint.h"

namespace models::openai_api {

namespace {

constexpr const char* completions_text =
    "OpenAI's chat completions: tools, tool_choice, parallel_tool_calls, images, audio, files, response_format, stop, "
    "seed, penalties, logit_bias and reasoning_effort are passed to the model, or refused by name if its provider does "
    "not support them; local servers also get parameters that the box does not know. Reasoning is in "
    "`reasoning_content` and `reasoning_details`, which are sent back with the conversation. With stream: true the "
    "answer is sent as server-sent events, with comments while the model is silent. `n` asks for up to 4 choices, each "
    "of which is charged. Calls with "
    "an API key use the plan, quota and caps of its user; "
    "agents use those of their owner.";
constexpr const char* responses_text =
    "OpenAI's responses: `input` is a text or a list of messages, function calls and their outputs. Functions are the "
    "only tools. Responses are not stored: the whole conversation is sent each time, and previous_response_id, "
    "conversation and background are refused; `item_reference` finds the items of the last hour. Otherwise as "
    "/v1/chat/completions, whose limits apply.";
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
  std::vector<web::Route> rows;
  // Clients that are given the address of the box without /v1 find the same rows.
  for (const std::string prefix : {"/v1", ""}) {
    web::append(
        rows,
        {{web::POST, prefix + "/chat/completions", guard, nullptr,
          with_body<CompletionBody>(endpoint(on, complete_chat)).describe(completions_text), "Ask a model"},
         {web::POST, prefix + "/responses", guard, nullptr,
          with_body<ResponseBody>(endpoint(on, create_response)).describe(responses_text), "Ask a model"},
         {web::POST, prefix + "/embeddings", guard, nullptr,
          with_body<EmbeddingBody>(endpoint(on, create_embeddings)).describe(embeddings_text), "Create embeddings"},
         {web::GET, prefix + "/models", guard, nullptr, endpoint(on, list_models), "List the models you can use"},
         {web::GET, prefix + "/models/:model+", guard, nullptr, endpoint(on, show_model).describe(model_text),
          "Show a model you can use"}});
  }
  return rows;
}

std::vector<web::Route> caller_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  auto rows = routes(guards.model_caller, on);
  web::append(rows, messages_api::routes(guards.model_caller, on));
  web::append(rows, google_api::routes(guards.model_caller, on));
  web::append(rows, media_api::routes(guards.model_caller, on));
  return rows;
}

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  auto rows = caller_routes(guards, on);
  web::append(rows, media_api::session_routes(guards.session, on));
  return rows;
}

}  // namespace models::openai_api
