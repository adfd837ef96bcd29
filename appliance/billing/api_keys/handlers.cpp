#include "appliance/billing/api_keys/handlers.h"

#include "appliance/access/key_scopes.h"
#include "web/routes/endpoint.h"
#include "web/routes/reply.h"

namespace billing::api_keys {

namespace {

std::optional<std::string> budget_text(const keys::ApiKey& key) {
  if (!key.monthly_budget) return std::nullopt;
  return usage::Money::of_units(*key.monthly_budget).to_string();
}

KeyView view(const keys::ApiKey& key, const Services& services) {
  const auto& ledger = services.ledger;
  const auto scopes = key_scopes::find(services.system, key.user_id, key.id);
  const auto this_month = usage::tally(usage::Period::month(store::now()), usage::slice::key(key.id));
  const auto used = usage::Money::of_units(ledger.spent(key.user_id, this_month, usage::TallyField::cost));
  return {.id = key.id,
          .name = key.name,
          .prefix = key.prefix,
          .createdAt = key.created_at,
          .lastUsedAt = key.last_used_at,
          .expiresAt = key.expires_at,
          .budgetUsd = budget_text(key),
          .usedUsd = used.to_string(),
          .tools = key.tools,
          .scopes = scopes ? std::optional(scopes->scopes) : std::nullopt,
          .agents = scopes ? scopes->agents : std::nullopt};
}

// The key in the body, or the bearer token when there is no body.
web::Result<std::string> candidate(const web::Request& request) {
  if (request.body.empty()) {
    if (const auto bearer = request.bearer()) return std::string(*bearer);
    return web::invalid("apiKey is required");
  }
  auto body = web::parse_body<Candidate>(request);
  if (!body) return body.error();
  return std::string(std::move(body->apiKey));
}

web::Result<std::optional<std::int64_t>> parse_budget(const std::optional<web::Text<1, 20>>& text) {
  if (!text) return std::optional<std::int64_t>();
  const auto amount = usage::Money::parse(*text);
  if (!amount || amount->units() < 0) return web::invalid("budgetUsd must be an amount such as \"12.50\"");
  return std::optional(amount->units());
}

template <class List>
std::optional<std::vector<std::string>> texts_of(const std::optional<List>& given) {
  if (!given) return std::nullopt;
  return std::vector<std::string>(given->begin(), given->end());
}

// The scopes that the request asks for; nothing if it asks for none.
web::Result<std::optional<key_scopes::KeyScopes>> scopes_of(const NewKey& body) {
  std::optional<key_scopes::KeyScopes> wanted;
  if (!body.scopes && body.agents) return web::invalid("agents limits what the scopes open: scopes is required");
  if (!body.scopes) return wanted;
  auto scopes = key_scopes::checked(*texts_of(body.scopes));
  if (!scopes) return scopes.error();
  wanted.emplace();
  wanted->scopes = std::move(*scopes);
  wanted->agents = texts_of(body.agents);
  return wanted;
}

web::Task<> note(const Services& services, const web::Request& request, std::string event, std::string subject) {
  auto entry = audit::of_request(request, std::move(event), std::move(subject));
  co_await services.audit.note(std::move(entry));
}

web::Answer list_keys(const Services& services, const web::Request& request) {
  KeyList answer;
  for (const auto& key : services.keys.list(request.caller.user_id)) answer.keys.push_back(view(key, services));
  answer.count = static_cast<std::int64_t>(answer.keys.size());
  co_return web::reply(answer, 200);
}

web::Answer create_key(const Services& services, const web::Request& request, NewKey body) {
  std::optional<store::Time> expires_at;
  if (body.expiresInDays) expires_at = store::now() + std::chrono::days(body.expiresInDays->value);
  const auto budget = parse_budget(body.budgetUsd);
  if (!budget) co_return budget.error();
  auto scopes = scopes_of(body);
  if (!scopes) co_return scopes.error();
  auto created =
      co_await services.keys.create(request.caller, std::move(body.name), expires_at, *budget, texts_of(body.tools));
  if (!created) co_return created.error();
  const auto& key = created->key;
  // A crash in between leaves a key that nobody has seen.
  if (*scopes) {
    (*scopes)->user_id = key.user_id;
    (*scopes)->id = key.id;
    co_await key_scopes::grant(services.system, **scopes);
  }
  co_await note(services, request, "API key made", key.prefix);
  const CreatedView answer{key.id,
                           key.name,
                           key.prefix,
                           created->secret,
                           key.created_at,
                           key.expires_at,
                           budget_text(key),
                           key.tools,
                           *scopes ? std::optional((*scopes)->scopes) : std::nullopt,
                           *scopes ? (*scopes)->agents : std::nullopt};
  co_return web::reply(answer, 201);
}

web::Answer show_key(const Services& services, const web::Request& request) {
  const auto key = services.keys.find(request.caller.user_id, request.param("id"));
  if (!key) co_return web::not_found("No such key");
  co_return web::reply(view(*key, services), 200);
}

web::Answer delete_key(const Services& services, const web::Request& request) {
  const auto removed = co_await services.keys.remove(request.caller.user_id, request.param("id"));
  if (!removed) co_return removed.error();
  co_await note(services, request, "API key deleted", request.param("id"));
  const Deleted answer{.id = request.param("id")};
  co_return web::reply(answer, 200);
}

web::Answer validate_key(const Services& services, const web::Request& request) {
  const auto key = candidate(request);
  if (!key) co_return key.error();
  const auto valid = services.keys.validate(*key);
  if (!valid) {
    web::Error refused = web::unauthenticated("Invalid API key");
    refused.extra["valid"] = false;
    co_return refused;
  }
  Validity answer{.userId = std::to_string(valid->user->id), .plan = std::nullopt};
  if (const auto held = services.subscriptions.active(valid->user->id))
    answer.plan = std::string(to_string(held->plan));
  co_return web::reply(answer, 200);
}

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
