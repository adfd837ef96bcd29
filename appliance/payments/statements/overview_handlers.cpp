#include "appliance/payments/statements/overview_handlers.h"

#include "web/routes/endpoint.h"
#include "web/routes/reply.h"

namespace payments::overview {

namespace {

Byok byok_of(const models::ProviderKeys& keys, store::UserId user) {
  Byok byok;
  for (const auto& key : keys.list(user)) {
    byok.enabled = byok.enabled || !key.is_set_aside;
    byok.providers.push_back(key.id);
  }
  return byok;
}

Tokens tokens_of(const Services& services, store::UserId user) {
  const auto now = store::now();
  const auto month = usage::Period::month(now);
  Tokens tokens{
      .used = services.ledger.quota_used(user, month), .limit = std::nullopt, .resetsAt = usage::next_month(now)};
  const web::Caller caller{.user_id = user};
  if (const auto payer = services.policy.payer_of(caller); payer && !payer->is_admin)
    tokens.limit = billing::limits(payer->plan).monthly_tokens;
  return tokens;
}

web::Task<> note(const Services& services, const web::Request& request, std::string event, std::string subject,
                 std::string outcome = "ok") {
  auto entry = audit::of_request(request, std::move(event), std::move(subject));
  entry.outcome = std::move(outcome);
  co_await services.audit.note(std::move(entry));
}

web::Answer enable(const Services& services, const web::Request& request, ActionRequest body) {
  const auto user = request.caller.user_id;
  if (body.provider && !body.key) co_return web::invalid("key is required");
  if (body.key && !body.provider) co_return web::invalid("provider is required");
  if (body.key) {
    const auto kept = co_await services.keys.put(request.caller, *body.provider, *body.key);
    std::string outcome = kept ? "ok" : kept.error().message;
    co_await note(services, request, "provider key kept", *body.provider, std::move(outcome));
    if (!kept) co_return kept.error();
  }
  if (services.keys.list(user).empty())
    co_return web::invalid("provider and key are required: there is no key of yours");
  co_await services.keys.enable(user);
  co_await note(services, request, "provider keys taken up", "");
  const ByokSwitched answer{.action = body.action, .byok = byok_of(services.keys, user)};
  co_return web::reply(answer);
}

web::Answer disable(const Services& services, const web::Request& request, ActionRequest body) {
  co_await services.keys.disable(request.caller.user_id);
  co_await note(services, request, "provider keys set aside", "");
  const ByokSwitched answer{.action = body.action, .byok = byok_of(services.keys, request.caller.user_id)};
  co_return web::reply(answer);
}

web::Answer get_usage(const Services& services, store::UserId user, ActionRequest body) {
  const auto month = usage::Period::month(store::now());
  const UsageAnswer answer{.action = body.action,
                           .period = month.name(),
                           .tokens = tokens_of(services, user),
                           .usage = usage::totals_view(services.ledger.totals(user, month)),
                           .ownKeys = usage::totals_view(services.ledger.own_key_totals(user, month))};
  co_return web::reply(answer);
}

web::Result<web::Response> page_answer(const std::string& action, const web::Result<std::string>& page) {
  if (!page) return page.error();
  const PageAnswer answer{.action = action, .url = *page};
  return web::reply(answer, 200);
}

web::Answer create_checkout(const Services& services, const web::Request& request, ActionRequest body) {
  const auto page = co_await services.checkout.plan(request.caller.user_id, body.plan.value_or(""));
  co_return page_answer(body.action, page);
}

web::Answer buy_credits(const Services& services, const web::Request& request, ActionRequest body) {
  const auto page = co_await services.checkout.credits(request.caller.user_id, body.price.value_or(""));
  co_return page_answer(body.action, page);
}

web::Answer show_billing(const Services& services, const web::Request& request) {
  const auto user = request.caller.user_id;
  BillingInfo answer{.tokens = tokens_of(services, user),
                     .credits = services.plans.credits(user),
                     .byok = byok_of(services.keys, user)};
  if (const auto held = services.subscriptions.active(user)) {
    answer.plan = std::string(billing::to_string(held->plan));
    answer.status = held->status;
    answer.priceGbp = billing::limits(held->plan).monthly_price_gbp;
  }
  co_return web::reply(answer);
}

web::Answer run_billing_action(const Services& services, const web::Request& request, ActionRequest body) {
  if (body.action == "enable-byok") co_return co_await enable(services, request, std::move(body));
  if (body.action == "disable-byok") co_return co_await disable(services, request, std::move(body));
  if (body.action == "get-usage") co_return co_await get_usage(services, request.caller.user_id, std::move(body));
  if (body.action == "create-checkout") co_return co_await create_checkout(services, request, std::move(body));
  if (body.action == "buy-credits") co_return co_await buy_credits(services, request, std::move(body));
  co_return web::invalid("action must be one of: create-checkout, enable-byok, disable-byok, get-usage, buy-credits");
}

constexpr const char* action_text =
    "`action` is enable-byok (uses your own provider keys; `provider` and `key` store one first, as PUT "
    "/api/provider-keys/:provider does), disable-byok (disables all of them: they stay sealed, and calls use the plan "
    "again), both returning {success, action, byok: {enabled, providers[]}}; or get-usage ({success, action, period, "
    "tokens, usage, ownKeys} of this calendar month). create-checkout (`plan`) and buy-credits (`price`) answer "
    "{success, action, url}: the page to pay at, as GET /api/stripe/checkout and /api/stripe/credits redirect to; 503 "
    "on a box without STRIPE_SECRET_KEY.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& session = guards.session;
  return {
      {web::GET, "/api/billing", session, nullptr, web::plain(on(show_billing)).returns<BillingInfo>(),
       "Your plan, its usage, your credits and your own provider keys"},
      {web::POST, "/api/billing", session, nullptr,
       web::body<ActionRequest>(on(run_billing_action)).describe(action_text), "Run a billing action"},
  };
}

}  // namespace payments::overview
