#include "appliance/payments/statements/handlers.h"

#include "appliance/access/records.h"
#include "appliance/foundation/email.h"
#include "web/routes/endpoint.h"
#include "web/routes/reply.h"
#include "web/task.h"

namespace payments::statements {

namespace {

using usage::Period;

// From the month of the registration up to now.
web::Result<Period> month_of(const std::optional<web::Text<1, 20>>& name, const accounts::User& user) {
  auto current = Period::month(store::now());
  if (!name) return current;
  const auto month = Period::month_named(*name);
  const auto first = Period::month(user.created_at);
  if (!month || month->name() < first.name() || month->name() > current.name())
    return web::invalid("month must be a calendar month from " + first.name() + " to " + current.name());
  return *month;
}

web::Response response_of(const Statement& statement, Format format) {
  switch (format) {
    case Format::csv: {
      auto response = web::text(to_csv(statement), "text/csv; charset=utf-8");
      response.set("Content-Disposition", "attachment; filename=\"statement-" + statement.month + ".csv\"");
      return response;
    }
    case Format::html:
      return web::text(to_html(statement), "text/html; charset=utf-8");
    case Format::json:
      break;
  }
  return web::reply(statement, 200);
}

web::Answer answer(Services services, accounts::User user, std::optional<web::Text<1, 20>> name,
                   std::optional<Format> format) {
  const auto month = month_of(name, user);
  if (!month) co_return month.error();
  auto make = [services, user, month = *month] { return make_statement(services.sources, user, month); };
  const auto statement = co_await web::offload(services.blocking, std::move(make));
  co_return response_of(statement, format.value_or(Format::json));
}

web::Answer show_statement(const Services& services, const web::Request& request, StatementQuery query) {
  auto user = services.accounts.find(request.caller.user_id);
  if (!user) co_return web::unauthenticated();
  co_return co_await answer(services, std::move(*user), std::move(query.month), query.format);
}

web::Answer show_user_statement(const Services& services, const web::Request&, UserStatementQuery query) {
  const auto id = accounts::parse_user_id(query.user);
  auto user = id ? services.accounts.find(*id)
                 : services.accounts.find_by_email(agentbox::normalised_email(query.user).value_or(""));
  if (!user) co_return web::not_found("No such user");
  co_return co_await answer(services, std::move(*user), std::move(query.month), query.format);
}

constexpr const char* statement_description =
    "`month` is a calendar month in UTC (2026-11), by default the current one. Plans, usage by model, credits and "
    "payments by card, exact to the last digit: usage and credits in US dollars, payments in the currency they were "
    "made in. `format` is json, csv or html (a page to print).";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/billing/statement", guards.session, nullptr,
       web::query<StatementQuery>(on(show_statement)).returns<Statement>().describe(statement_description),
       "Your statement of a month"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/admin/statement", guards.backend.users, nullptr,
       web::query<UserStatementQuery>(on(show_user_statement))
           .returns<Statement>()
           .fails({web::Kind::not_found})
           .describe("`user` is an e-mail address or id. " + std::string(statement_description)),
       "A user's statement of a month"},
  };
}

}  // namespace payments::statements
