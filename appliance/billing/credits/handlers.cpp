#include "appliance/billing/credits/handlers.h"

#include "appliance/access/records.h"
#include "web/routes/endpoint.h"
#include "web/routes/reply.h"

namespace credits {

namespace {

using usage::Money;

constexpr std::size_t usual_page = 100;

Account account_of(const Credits& credits, store::UserId user) {
  const auto balance = credits.balance(user);
  return {.credits = balance.whole_credits(),
          .balance = balance.available.to_string(),
          .reserved = balance.reserved.to_string(),
          .payForCalls = credits.pays_calls(user)};
}

EntryView view(const Entry& entry) {
  const auto given = [](const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); };
  return {.id = entry.id,
          .at = entry.at,
          .kind = entry.kind,
          .amount = Money::of_units(entry.amount).to_string(),
          .note = entry.note,
          .reference = given(entry.reference),
          .by = given(entry.by)};
}

struct PageQuery {
  std::size_t limit = usual_page;
  std::string before;
};

template <class Query>
PageQuery page_of(const Query& query) {
  PageQuery page;
  if (query.limit) page.limit = static_cast<std::size_t>(query.limit->value);
  if (query.before) page.before = *query.before;
  return page;
}

EntryList entries_of(const Credits& credits, store::UserId user, PageQuery query) {
  EntryList page;
  const auto found = credits.newest(user, query.limit, std::move(query.before));
  for (const auto& entry : found) page.entries.push_back(view(entry));
  if (found.size() == query.limit) page.next = found.back().id;
  return page;
}

std::string name_of(const audit::Actor& actor) {
  if (!actor.acting_as.empty()) return actor.acting_as;
  return actor.by.empty() ? "user " + std::to_string(actor.caller.user_id) : actor.by;
}

web::Answer show_account(const Services& services, const web::Request& request) {
  co_return web::reply(account_of(services.credits, request.caller.user_id), 200);
}

web::Answer change_account(const Services& services, const web::Request& request, AccountChange body) {
  const auto user = request.caller.user_id;
  co_await services.credits.let_pay_calls(user, body.payForCalls);
  auto entry = audit::of_request(request, body.payForCalls ? "credits pay for calls" : "credits pay for no calls", "");
  co_await services.audit.note(std::move(entry));
  co_return web::reply(account_of(services.credits, user), 200);
}

web::Answer list_entries(const Services& services, const web::Request& request, EntriesQuery query) {
  co_return web::reply(entries_of(services.credits, request.caller.user_id, page_of(query)), 200);
}

web::Answer show_user_account(const Services& services, const web::Request&, UserEntriesQuery query) {
  const auto user = accounts::parse_user_id(query.userId);
  if (!user || !services.accounts.find(*user)) co_return web::not_found("No such user");
  auto page = entries_of(services.credits, *user, page_of(query));
  const UserAccount answer{.userId = std::to_string(*user),
                           .account = account_of(services.credits, *user),
                           .entries = std::move(page.entries),
                           .next = std::move(page.next)};
  co_return web::reply(answer, 200);
}

web::Answer adjust_account(const Services& services, const web::Request& request, AdjustmentRequest body) {
  const auto user = accounts::parse_user_id(body.userId);
  if (!user) co_return web::invalid("userId must be a user's id");
  const auto amount = Money::parse(body.usd);
  if (!amount || *amount == Money()) {
    co_return web::invalid(
        "usd must be an amount in US dollars other than zero, such as 12.50 or -3, with at most twelve decimals");
  }
  const auto actor = audit::actor_of(request);
  Adjustment adjustment{.amount = *amount,
                        .reason = std::move(body.reason),
                        .by = name_of(actor),
                        .key = body.idempotencyKey.value_or("")};
  const auto adjusted = co_await services.credits.adjust(*user, std::move(adjustment));
  auto entry = audit::entry_by(actor, "credits adjusted by " + amount->to_string() + " USD", "");
  entry.user_id = *user;
  if (!adjusted) entry.outcome = adjusted.error().message;
  if (!adjusted || adjusted->is_new) co_await services.audit.note(std::move(entry));
  if (!adjusted) co_return adjusted.error();
  const AdjustmentAnswer answer{.entry = view(adjusted->entry), .account = account_of(services.credits, *user)};
  co_return web::reply(answer, 200);
}

constexpr const char* account_text =
    "A credit buys a US cent of model usage at catalogue prices. `credits` are the whole ones that can be spent, "
    "`balance` the exact amount in US dollars, `reserved` what model calls in progress may use.";
constexpr const char* change_text =
    "`payForCalls`: credits pay for model calls that exceed the plan's monthly quota, at catalogue prices, instead of "
    "429 QUOTA_EXCEEDED. Each call's maximum is reserved before it is made and settled afterwards; the balance never "
    "falls below zero by them; only a chargeback of credits that are spent makes it negative, and later purchases pay "
    "that first. Models without a price are not paid for.";
constexpr const char* entries_text =
    "Newest first. `kind` is bought, referral, spent (one for each model call), refunded or adjusted (by an "
    "administrator, with the reason in `note`). `next` is the `before` of the next page.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& session = guards.session;
  return {
      {web::GET, "/api/credits", session, nullptr,
       web::plain(on(show_account)).returns<Account>().describe(account_text), "Your credits"},
      {web::PUT, "/api/credits", session, nullptr,
       web::body<AccountChange>(on(change_account)).returns<Account>().describe(change_text),
       "Let credits pay for model calls beyond your plan's quota, or not"},
      {web::GET, "/api/credits/entries", session, nullptr,
       web::query<EntriesQuery>(on(list_entries)).returns<EntryList>().describe(entries_text),
       "List the entries of your credits"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& key = guards.backend.users;
  return {
      {web::GET, "/api/admin/credits", key, nullptr,
       web::query<UserEntriesQuery>(on(show_user_account)).returns<UserAccount>().describe(entries_text),
       "A user's credits and their entries"},
      {web::POST, "/api/admin/credits", key, nullptr,
       web::body<AdjustmentRequest>(on(adjust_account))
           .returns<AdjustmentAnswer>()
           .fails({web::Kind::not_found, web::Kind::conflict})
           .describe(
               "Adds `usd` to the user's credits, or takes them for a negative amount: 409 beyond the balance. "
               "`reason` is shown to the user. With an `idempotencyKey` the adjustment is made once for the user: the "
               "same request again answers the same, another one with it is refused with 409."),
       "Adjust a user's credits"},
  };
}

}  // namespace credits
