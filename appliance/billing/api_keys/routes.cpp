#include "appliance/billing/api_keys/routes.h"

#include "appliance/billing/api_keys/handlers.h"
#include "web/routes/endpoint.h"

namespace billing::api_keys {

namespace {

const web::RateLimit validation{.group = "keys-validate", .limit = 60, .limits_guesses = true};

constexpr const char* used_text =
    "`usedUsd` is the cost of model calls with the key in this calendar month (UTC); `budgetUsd` is its limit.";

web::Endpoint validation_endpoint(const web::Bind<Services>& on) {
  auto endpoint = web::plain(on(validate_key)).returns<Validity>();
  endpoint.body = web::schema_of<Candidate>;
  endpoint.description =
      "The key is read from the body or, without a body, from the bearer token. An invalid key gets 401 with "
      "valid: false.";
  return endpoint;
}

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& session = guards.session;
  return {
      {web::GET, "/api/keys", session, nullptr, web::plain(on(list_keys)).returns<KeyList>().describe(used_text),
       "List your API keys"},
      {web::POST, "/api/keys", session, nullptr,
       web::body<NewKey>(on(create_key))
           .returns<CreatedView>(201)
           .describe("`key` is shown only once. `budgetUsd` limits the cost of model calls with the key in a calendar "
                     "month (UTC). `tools` names what MCP clients may call with the key at /mcp, or is [\"*\"] for "
                     "everything; without it they have the tools that only read. `scopes` opens rows of this listener "
                     "to the key, those whose guard names one of them: agents:read, agents:write, chat, files, "
                     "schedules, usage, models (/v1). `agents` are the only ones that the key reaches then; others are "
                     "404. A key without scopes opens /v1 and /mcp."),
       "Create an API key"},
      {web::GET, "/api/keys/:id", session, nullptr, web::plain(on(show_key)).returns<KeyView>().describe(used_text),
       "Show an API key"},
      {web::DELETE, "/api/keys/:id", session, nullptr, web::plain(on(delete_key)).returns<Deleted>(),
       "Delete an API key. It stops working at once"},
      {web::POST, "/api/keys/validate", guards.none, &validation, validation_endpoint(on),
       "Check whether an API key is valid"},
  };
}

}  // namespace billing::api_keys
