
#include "appliance/models/ai_api/handlers.h"
#include "web/routes/endpoint.h"

namespace models::ai_api {

namespace {

const web::RateLimit rate{.group = "ai", .limit = 30, .message = "AI rate limit exceeded."};

constexpr const char* chat_text =
    "Headers: x-user-plan and x-billing-subscription-id, or an administrator's x-user-email instead, whose calls are "
    "in "
    "the audit log with x-user-id (default anonymous) and x-user-role. These two grant nothing. Checked in this "
    "order: plan, subscription, body, model, quota and caps. Without a model, taskType selects one. `usage` has "
    "`estimated: true` if the provider returned no counts. With stream: true the answer is sent as server-sent events: "
    "`delta` ({content}) for each piece, then `done` with the whole answer, or `error`. If no provider could serve the "
    "call: 500 with the last provider's failure as `code` (unreachable, overloaded, timeout, bad_key, ...), or 429 if "
    "it limits the rate; with `Retry-After` if known.";

web::Endpoint chat_endpoint(const web::Bind<Services>& on) {
  auto endpoint = web::plain(on(chat));
  endpoint.body = web::schema_of<ChatBody>;
  endpoint.description = chat_text;
  return endpoint;
}

}  // namespace

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& key = guards.backend.box;
  return {
      {web::GET, "/api/ai/health", key, &rate,
       web::plain(on(show_health))
           .describe(
               "`healthy`, or `degraded` while the circuit of a provider is not closed. 503 with `status: error` and "
               "`error` when no provider can serve: none is configured, or the circuits of all are open.")
           .fails({web::Kind::unavailable}),
       "The configured providers and their state"},
      {web::GET, "/api/ai/models", key, &rate,
       web::plain(on(list_models))
           .describe("`models`, `count`, and the count of each provider by its name. Costs are US dollars per million "
                     "tokens."),
       "List the models of the catalogue and of the local server"},
      {web::GET, "/api/ai/models/:provider", key, &rate, web::plain(on(list_provider_models)).returns<ProviderModels>(),
       "List the models of a provider"},
      {web::POST, "/api/ai/models/select", key, &rate, web::body<SelectionQuery>(on(select_model)).returns<Selected>(),
       "Select the model for a task type"},
      {web::POST, "/api/ai/chat", key, &rate, chat_endpoint(on), "Ask a model"},
      {web::POST, "/api/ai/estimate-cost", key, &rate, web::body<EstimateQuery>(on(estimate_cost)).returns<Estimate>(),
       "Estimate the cost of a call"},
      {web::POST, "/api/admin/models/reload", key, nullptr, web::plain(on(reload_catalogue)).returns<Reloaded>(),
       "Reload the model catalogue"},
  };
}

}  // namespace models::ai_api
