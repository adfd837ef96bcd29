#include "appliance/payments/ledger/routes.h"

#include "appliance/payments/ledger/handlers.h"
#include "web/routes/endpoint.h"

namespace ledger {

namespace {

constexpr auto about_issuing =
    "`amount` is a decimal text such as \"12.5\", with at most six decimals. With `agentId` the account is that "
    "agent's, "
    "otherwise the user's. A `reference` counts once: the same request again answers the same and moves nothing; "
    "another request with it is refused with 409. ";

std::vector<web::Route> routes(const web::Guard& guard, const web::Bind<Services>& on) {
  const std::string about_credit = std::string(about_issuing) + "The money is issued by the box.",
                    about_debit = std::string(about_issuing) + "402 INSUFFICIENT_BALANCE beyond the balance.";
  return {
      {web::GET, "/api/admin/ledger", guard, nullptr,
       web::query<AccountQuery>(on(show_account))
           .returns<AccountView>()
           .describe("Newest first; `next` is the `before` of the following page, or null."),
       "Balance and entries of an account on the box's own USDC ledger"},
      {web::POST, "/api/admin/ledger/credit", guard, nullptr,
       web::body<IssueRequest>(on(credit)).returns<IssueAnswer>().describe(about_credit),
       "Credit USDC of the box's own ledger to a user or an agent"},
      {web::POST, "/api/admin/ledger/debit", guard, nullptr,
       web::body<IssueRequest>(on(debit)).returns<IssueAnswer>().describe(about_debit),
       "Take USDC of the box's own ledger back"},
      {web::GET, "/api/admin/ledger/verify", guard, nullptr,
       web::plain(on(verify))
           .returns<VerificationView>()
           .describe("Compares every balance with its entries, and all entries with zero, while nothing else writes to "
                     "the ledger; `differences` is empty if all is well."),
       "Verify the box's own USDC ledger"},
  };
}

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return routes(guards.admin_session, on);
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return routes(guards.backend.internal, on);
}

}  // namespace ledger
