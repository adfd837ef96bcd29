#include "appliance/billing/usage/report.h"
#include "appliance/identity/accounts/accounts.h"
#include "appliance/models/routes.h"
#include "web/endpoint.h"

namespace models {

namespace {

using Answer = web::Task<web::Result<web::Response>>;

// Of the plan's quota in this calendar month, with what calls under way may still use.
struct Tokens {
  std::int64_t used = 0;
  std::optional<std::int64_t> limit;  // null: no limit, or no plan
  store::Time resetsAt;
};
BOOST_DESCRIBE_STRUCT(Tokens, (), (used, limit, resetsAt))

struct Byok {
  bool enabled = false;                // models are asked with one of the keys at least
  std::vector<std::string> providers;  // that one has brought a key for
};
BOOST_DESCRIBE_STRUCT(Byok, (), (enabled, providers))

struct BillingInfo {
  std::optional<std::string> plan;
  std::string status = "none";
  std::optional<std::int64_t> priceGbp;  // a month
  Tokens tokens;
  std::int64_t credits = 0;
  Byok byok;
};
BOOST_DESCRIBE_STRUCT(BillingInfo, (), (plan, status, priceGbp, tokens, credits, byok))

struct Act {
  web::Text<1, 40> action;
  std::optional<web::Text<1, 40>> provider;
  std::optional<web::Text<1, 500>> key;
};
BOOST_DESCRIBE_STRUCT(Act, (), (action, provider, key))

struct Switched {
  bool success = true;
  std::string action;
  Byok byok;
};
BOOST_DESCRIBE_STRUCT(Switched, (), (success, action, byok))

struct Used {
  bool success = true;
  std::string action, period;
  Tokens tokens;
  usage::UsageTotals usage, ownKeys;  // on the plan; on one's own keys
};
BOOST_DESCRIBE_STRUCT(Used, (), (success, action, period, tokens, usage, ownKeys))

Byok byok_of(const ProviderKeys& keys, store::UserId user) {
  Byok byok;
  for (const auto& key : keys.list(user)) {
    byok.enabled = byok.enabled || !key.is_set_aside;
    byok.providers.push_back(key.id);
  }
  return byok;
}

Tokens tokens_of(const BillingParts& parts, store::UserId user) {
  const auto now = store::now();
  const auto month = usage::Period::month(now);
  Tokens tokens{.used = parts.ledger.spent(user, usage::tally(month, "all"), usage::Tallied::tokens),
                .limit = std::nullopt,
                .resetsAt = usage::next_month(now)};
  const web::Caller caller{.user_id = user};
  if (const auto payer = parts.policy.payer_of(caller); payer && !payer->is_admin)
    tokens.limit = billing::limits(payer->plan).monthly_tokens;
  return tokens;
}

Answer info(const BillingParts& parts, store::UserId user) {
  BillingInfo answer{
      .tokens = tokens_of(parts, user), .credits = parts.accounts.credits_of(user), .byok = byok_of(parts.keys, user)};
  if (const auto held = parts.subscriptions.active(user)) {
    answer.plan = std::string(billing::to_string(held->plan));
    answer.status = held->status;
    answer.priceGbp = billing::limits(held->plan).monthly_price_gbp;
  }
  co_return web::reply(answer);
}

web::Task<> note(const BillingParts& parts, const web::Request& request, std::string act, std::string subject,
                 std::string outcome = "ok") {
  auto entry = audit::of_request(request, std::move(act), std::move(subject));
  entry.outcome = std::move(outcome);
  co_await parts.audit.note(std::move(entry));
}

Answer enable(const BillingParts& parts, const web::Request& request, Act wanted) {
  const auto user = request.caller.user_id;
  if (wanted.provider && !wanted.key) co_return web::invalid("key is required");
  if (wanted.key && !wanted.provider) co_return web::invalid("provider is required");
  if (wanted.key) {
    const auto kept = co_await parts.keys.put(request.caller, *wanted.provider, *wanted.key);
    std::string outcome = kept ? "ok" : kept.error().message;
    co_await note(parts, request, "provider key kept", *wanted.provider, std::move(outcome));
    if (!kept) co_return kept.error();
  }
  if (parts.keys.list(user).empty()) co_return web::invalid("provider and key are required: there is no key of yours");
  co_await parts.keys.take_up(user);
  co_await note(parts, request, "provider keys taken up", "");
  const Switched answer{.action = wanted.action, .byok = byok_of(parts.keys, user)};
  co_return web::reply(answer);
}

Answer disable(const BillingParts& parts, const web::Request& request, Act wanted) {
  co_await parts.keys.set_aside(request.caller.user_id);
  co_await note(parts, request, "provider keys set aside", "");
  const Switched answer{.action = wanted.action, .byok = byok_of(parts.keys, request.caller.user_id)};
  co_return web::reply(answer);
}

Answer used(const BillingParts& parts, store::UserId user, Act wanted) {
  const auto month = usage::Period::month(store::now());
  const Used answer{.action = wanted.action,
                    .period = month.name(),
                    .tokens = tokens_of(parts, user),
                    .usage = usage::usage_totals(parts.ledger.totals(user, month)),
                    .ownKeys = usage::usage_totals(parts.ledger.own_key_totals(user, month))};
  co_return web::reply(answer);
}

Answer act(const BillingParts& parts, const web::Request& request, Act wanted) {
  if (wanted.action == "enable-byok") co_return co_await enable(parts, request, std::move(wanted));
  if (wanted.action == "disable-byok") co_return co_await disable(parts, request, std::move(wanted));
  if (wanted.action == "get-usage") co_return co_await used(parts, request.caller.user_id, std::move(wanted));
  if (wanted.action == "create-checkout" || wanted.action == "buy-credits")
    co_return web::unavailable("This box has no payment provider: its administrator activates plans.");
  co_return web::invalid("action must be one of: create-checkout, enable-byok, disable-byok, get-usage, buy-credits");
}

}  // namespace

std::vector<web::Route> billing_routes(BillingParts parts) {
  auto get = [parts](web::Request& request) { return info(parts, request.caller.user_id); };
  auto post = [parts](web::Request& request, Act wanted) { return act(parts, request, std::move(wanted)); };
  return {
      {web::GET, "/api/billing", parts.guards.session, nullptr, web::plain(get).returns<BillingInfo>(),
       "One's plan, what is used of it, credits, and one's own keys"},
      {web::POST, "/api/billing", parts.guards.session, nullptr,
       web::body<Act>(post).describe(
           "`action` is enable-byok (asks models with one's own keys; `provider` and `key` bring one along, as PUT "
           "/api/provider-keys/:provider does), disable-byok (sets all of them aside: they stay sealed, and calls go "
           "on the plan again), both answering {success, action, byok: {enabled, providers[]}}; or get-usage "
           "({success, action, period, tokens, usage, ownKeys} of this calendar month). create-checkout and "
           "buy-credits need a payment provider: 503 on a box that has none."),
       "Do something about billing, by action"},
  };
}

}  // namespace models
