#include "appliance/billing/spending/routes.h"

#include "appliance/billing/spending/handlers.h"
#include "web/routes/endpoint.h"

namespace billing::spending {

namespace {

constexpr const char* put_text =
    "Replaces the cap of the same scope, target and period. `scope` is user, agent or key (target: its id). `tokens` "
    "and `usd` (\"12.50\") limit the usage of a UTC day or calendar month, including reservations of calls in "
    "progress. `whenReached` decides about a call that does not fit: `refuse` (429 CAP_REACHED), `cheaper` (uses the "
    "cheapest allowed model, if that fits) or `local` (uses the box's local model, which this cap does not limit).";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& session = guards.session;
  return {
      {web::GET, "/api/caps", session, nullptr, web::plain(on(list_own_caps)).returns<CapList>(),
       "List the caps on your model calls, including those of your plan, with current usage"},
      {web::PUT, "/api/caps", session, nullptr,
       web::body<NewCap>(on(set_own_cap)).returns<CapView>().describe(put_text),
       "Set a cap on yourself, an agent or a key"},
      {web::DELETE, "/api/caps/:id", session, nullptr, web::plain(on(remove_own_cap)).returns<Removed>(),
       "Remove one of your caps"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& key = guards.backend.users;
  return {
      {web::GET, "/api/admin/caps", key, nullptr, web::query<CapsQuery>(on(list_caps)).returns<CapList>(),
       "List the caps on a user or, without userId, on plans"},
      {web::PUT, "/api/admin/caps", key, nullptr,
       web::body<NewAdminCap>(on(set_cap)).returns<CapView>().describe(put_text),
       "Set a cap on each user of a plan, or on a user, an agent or a key"},
      {web::DELETE, "/api/admin/caps/:id", key, nullptr, web::query<CapsQuery>(on(remove_cap)).returns<Removed>(),
       "Remove a cap"},
  };
}

}  // namespace billing::spending
