#include "appliance/billing/credits/routes.h"

#include "appliance/billing/credits/handlers.h"
#include "web/routes/endpoint.h"

namespace credits {

namespace {

constexpr const char* account_text =
    "A credit buys a US cent of model usage at catalogue prices. `credits` are the whole ones that can be spent, "
    "`balance` the exact amount in US dollars, `reserved` what model calls in progress may use.";
constexpr const char* change_text =
    "`payForCalls`: credits pay for model calls that exceed the plan's monthly quota, at catalogue prices, instead of "
    "429 QUOTA_EXCEEDED. Each call's maximum is reserved before it is made and settled afterwards; the balance never "
    "falls below zero. Models without a price are not paid for.";
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
           .returns<Adjusted>()
           .fails({web::Kind::not_found, web::Kind::conflict})
           .describe("Adds `usd` to the user's credits, or takes them for a negative amount: 409 beyond the balance. "
                     "`reason` is shown to the user."),
       "Adjust a user's credits"},
  };
}

}  // namespace credits
