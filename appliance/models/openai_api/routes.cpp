#include "appliance/models/openai_api/routes.h"

#include "appliance/models/openai_api/handlers.h"
#include "web/endpoint.h"

namespace models::openai_api {

namespace {

constexpr const char* completions_text =
    "OpenAI's chat completions: tools, tool_choice, parallel_tool_calls, images, response_format, stop, seed, "
    "penalties "
    "and logit_bias are passed to the model, or refused by name if its provider does not support them. With stream: "
    "true the answer is sent as server-sent events. Calls with an API key use the plan, quota and caps of its user; "
    "agents use those of their owner.";
constexpr const char* embeddings_text =
    "OpenAI's embeddings ({model, input, ...}), passed through to the local server if it lists the model, else to "
    "OpenAI or the router, with the user's own key if there is one.";
constexpr const char* model_text = "The slash in a model's id may be encoded or not.";

web::Endpoint endpoint(const Services& services, billing::Answer (*handler)(const Services&, const web::Request&)) {
  auto endpoint = web::plain(billing::bind(services, handler));
  endpoint.problem = openai::error_schema;
  return endpoint;
}

template <class Body>
web::Endpoint with_body(web::Endpoint endpoint) {
  endpoint.body = web::schema_of<Body>;
  return endpoint;
}

}  // namespace

web::Guard model_guard(const agentbox::Guards& guards) {
  return {.name = "agent token or API key",
          .scheme = "bearer",
          .admit = [&guards](const web::Request& request) -> web::Result<web::Caller> {
            // Both are tried, since an agent's token may begin like a key by chance.
            const auto bearer = request.bearer();
            const bool is_like_key = bearer && bearer->starts_with("sk_");
            auto caller = (is_like_key ? guards.user_key : guards.agent_token).admit(request);
            return caller ? std::move(caller) : (is_like_key ? guards.agent_token : guards.user_key).admit(request);
          },
          .forbids = true};
}

std::vector<web::Route> routes(const Services& services) {
  const auto& guard = services.guard;
  return {
      {web::POST, "/v1/chat/completions", guard, nullptr,
       with_body<CompletionBody>(endpoint(services, complete_chat)).describe(completions_text), "Ask a model"},
      {web::POST, "/v1/embeddings", guard, nullptr,
       with_body<EmbeddingBody>(endpoint(services, create_embeddings)).describe(embeddings_text), "Create embeddings"},
      {web::GET, "/v1/models", guard, nullptr, endpoint(services, list_models), "List the models you can use"},
      {web::GET, "/v1/models/:model+", guard, nullptr, endpoint(services, show_model).describe(model_text),
       "Show a model you can use"},
  };
}

}  // namespace models::openai_api
