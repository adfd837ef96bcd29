#include "appliance/payments/statements/routes.h"

#include "appliance/payments/statements/handlers.h"
#include "web/routes/endpoint.h"

namespace payments::statements {

namespace {

constexpr const char* text =
    "`month` is a calendar month in UTC (2026-11), by default the current one. Plans, usage by model, credits and "
    "payments by card, exact to the last digit: usage and credits in US dollars, payments in the currency they were "
    "made in. `format` is json, csv or html (a page to print).";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/billing/statement", guards.session, nullptr,
       web::query<StatementQuery>(on(show_statement)).returns<Statement>().describe(text), "Your statement of a month"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/admin/statement", guards.backend.users, nullptr,
       web::query<UserStatementQuery>(on(show_user_statement))
           .returns<Statement>()
           .fails({web::Kind::not_found})
           .describe("`user` is an e-mail address or id. " + std::string(text)),
       "A user's statement of a month"},
  };
}

}  // namespace payments::statements
