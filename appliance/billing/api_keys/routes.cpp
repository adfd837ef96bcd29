#include "appliance/billing/api_keys/routes.h"

#include "web/endpoint.h"

namespace keys {

namespace {

const web::RateLimit validation{.group = "keys-validate", .limit = 60};

struct NewKey {
  web::Text<1, 100> name;
  std::optional<web::Integer<1, 3650>> expiresInDays;
  std::optional<web::Text<1, 20>> budgetUsd;
};
BOOST_DESCRIBE_STRUCT(NewKey, (), (name, expiresInDays, budgetUsd))

struct KeyView {
  std::string id, name, prefix;
  store::Time createdAt;
  std::optional<store::Time> lastUsedAt, expiresAt;
  std::optional<std::string> budgetUsd;  // a calendar month (UTC)
  std::string usedUsd;                   // of this month; what is reserved for calls under way counts
};
BOOST_DESCRIBE_STRUCT(KeyView, (), (id, name, prefix, createdAt, lastUsedAt, expiresAt, budgetUsd, usedUsd))

struct CreatedView {
  std::string id, name, prefix, key;
  store::Time createdAt;
  std::optional<store::Time> expiresAt;
  std::optional<std::string> budgetUsd;
};
BOOST_DESCRIBE_STRUCT(CreatedView, (), (id, name, prefix, key, createdAt, expiresAt, budgetUsd))

struct KeyList {
  std::vector<KeyView> keys;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(KeyList, (), (keys, count))

struct Removed {
  bool success = true;
  std::string id;
};
BOOST_DESCRIBE_STRUCT(Removed, (), (success, id))

struct Candidate {
  web::Text<1, 256> apiKey;
};
BOOST_DESCRIBE_STRUCT(Candidate, (), (apiKey))

struct Validity {
  bool valid = true;
  std::string userId;
  std::optional<std::string> plan;
};
BOOST_DESCRIBE_STRUCT(Validity, (), (valid, userId, plan))

std::optional<std::string> budget_text(const ApiKey& key) {
  if (!key.monthly_budget) return std::nullopt;
  return usage::Money::of_units(*key.monthly_budget).to_string();
}

KeyView view(const ApiKey& key, const usage::Ledger& ledger) {
  const auto this_month = usage::tally(usage::Period::month(store::now()), "key/" + key.id);
  const auto used = usage::Money::of_units(ledger.spent(key.user_id, this_month, usage::Tallied::cost));
  return {.id = key.id,
          .name = key.name,
          .prefix = key.prefix,
          .createdAt = key.created_at,
          .lastUsedAt = key.last_used_at,
          .expiresAt = key.expires_at,
          .budgetUsd = budget_text(key),
          .usedUsd = used.to_string()};
}

// The key of the body, or the bearer when there is no body.
web::Result<std::string> candidate(const web::Request& request) {
  if (request.body.empty()) {
    if (const auto bearer = request.bearer()) return std::string(*bearer);
    return web::invalid("apiKey is required");
  }
  auto body = web::parse_body<Candidate>(request);
  if (!body) return body.error();
  return std::string(std::move(body->apiKey));
}

}  // namespace

std::vector<web::Route> routes(Keys& keys, const billing::Subscriptions& subscriptions, const usage::Ledger& ledger,
                               audit::Audit& audit, const agentbox::Guards& guards) {
  using Answer = web::Task<web::Result<web::Response>>;

  auto list = [&keys, &ledger](web::Request& request) -> Answer {
    KeyList answer;
    for (const auto& key : keys.list(request.caller.user_id)) answer.keys.push_back(view(key, ledger));
    answer.count = static_cast<std::int64_t>(answer.keys.size());
    co_return web::reply(answer, 200);
  };
  auto create = [&keys, &audit](web::Request& request, NewKey wanted) -> Answer {
    std::optional<store::Time> expires_at;
    if (wanted.expiresInDays) expires_at = store::now() + std::chrono::days(wanted.expiresInDays->value);
    std::optional<std::int64_t> budget;
    if (wanted.budgetUsd) {
      const auto amount = usage::Money::parse(*wanted.budgetUsd);
      if (!amount || amount->units() < 0) co_return web::invalid("budgetUsd must be an amount such as \"12.50\"");
      budget = amount->units();
    }
    auto created = co_await keys.create(request.caller, std::move(wanted.name), expires_at, budget);
    if (!created) co_return created.error();
    const auto& key = created->key;
    auto entry = audit::of_request(request, "API key made", key.prefix);
    co_await audit.note(std::move(entry));
    const CreatedView answer{key.id,         key.name,       key.prefix,      created->secret,
                             key.created_at, key.expires_at, budget_text(key)};
    co_return web::reply(answer, 201);
  };
  auto get = [&keys, &ledger](web::Request& request) -> Answer {
    const auto key = keys.find(request.caller.user_id, request.param("id"));
    if (!key) co_return web::not_found("No such key");
    co_return web::reply(view(*key, ledger), 200);
  };
  auto remove = [&keys, &audit](web::Request& request) -> Answer {
    const auto removed = co_await keys.remove(request.caller.user_id, request.param("id"));
    if (!removed) co_return removed.error();
    auto entry = audit::of_request(request, "API key deleted", request.param("id"));
    co_await audit.note(std::move(entry));
    const Removed answer{.id = request.param("id")};
    co_return web::reply(answer, 200);
  };
  auto validate = [&keys, &subscriptions](web::Request& request) -> Answer {
    const auto key = candidate(request);
    if (!key) co_return key.error();
    const auto valid = keys.validate(*key);
    if (!valid) {
      web::Error refused = web::unauthenticated("Invalid API key");
      refused.extra["valid"] = false;
      co_return refused;
    }
    Validity answer{.userId = std::to_string(valid->user->id), .plan = std::nullopt};
    if (const auto held = subscriptions.active(valid->user->id)) answer.plan = std::string(to_string(held->plan));
    co_return web::reply(answer, 200);
  };
  auto validation_endpoint = web::plain(validate).returns<Validity>().describe(
      "The key comes in the body or, without a body, as the bearer. An invalid one is 401 with valid: false.");
  validation_endpoint.body = web::schema_of<Candidate>;
  constexpr const char* used_text =
      "`usedUsd` is what model calls with the key have cost this calendar month (UTC), of its `budgetUsd` if it has "
      "one.";

  return {
      {web::GET, "/api/keys", guards.session, nullptr, web::plain(list).returns<KeyList>().describe(used_text),
       "List one's API keys"},
      {web::POST, "/api/keys", guards.session, nullptr,
       web::body<NewKey>(create).returns<CreatedView>(201).describe(
           "`key` is shown this once. `budgetUsd` bounds what model calls with it may cost in a calendar month (UTC)."),
       "Create an API key"},
      {web::GET, "/api/keys/:id", guards.session, nullptr, web::plain(get).returns<KeyView>().describe(used_text),
       "One API key"},
      {web::DELETE, "/api/keys/:id", guards.session, nullptr, web::plain(remove).returns<Removed>(),
       "Delete an API key: it is refused from then on"},
      {web::POST, "/api/keys/validate", guards.none, &validation, std::move(validation_endpoint),
       "Whether an API key is valid"},
  };
}

}  // namespace keys
