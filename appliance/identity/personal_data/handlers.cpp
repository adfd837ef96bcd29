#include "appliance/identity/personal_data/handlers.h"

#include "appliance/access/records.h"
#include "appliance/access/session_cookie.h"
#include "appliance/foundation/email.h"
#include "appliance/identity/personal_data/archive.h"

namespace personal_data {

namespace {

// By id or by e-mail.
std::optional<accounts::User> user_named(const Services& services, const std::string& name) {
  if (const auto id = accounts::parse_user_id(name)) return services.accounts.find(*id);
  if (const auto email = agentbox::normalised_email(name)) return services.accounts.find_by_email(*email);
  return std::nullopt;
}

web::Response archive_of(const Services& services, store::UserId user) {
  web::Response response;
  response.content_type = "application/gzip";
  response.set("Content-Disposition", "attachment; filename=\"agentbox-export.tar.gz\"")
      .set("Cache-Control", "no-store");
  response.body = [&data = services.data, &blocking = services.blocking,
                   user](web::StreamWriter& writer) -> web::Task<> {
    Archive archive(
        "agentbox-export", [&writer](std::string bytes) { return writer.write(std::move(bytes)); }, blocking);
    co_await data.write(user, archive);
    co_await archive.finish();
  };
  return response;
}

web::Response answer_of(bool is_erased) {
  const DeletedAccount answer{.erased = is_erased};
  return web::reply(answer, is_erased ? 200 : 202);
}

web::Answer export_data(const Services& services, const web::Request& request) {
  auto entry = audit::of_request(request, "data exported", "");
  co_await services.audit.note(std::move(entry));
  co_return archive_of(services, request.caller.user_id);
}

// For administrators, of any user.
web::Answer export_user(const Services& services, const web::Request& request) {
  const auto user = user_named(services, request.param("user"));
  if (!user) co_return web::not_found("No such user");
  auto entry = audit::entry_by(audit::actor_of(request), "data exported by admin", user->email);
  entry.user_id = user->id;
  co_await services.audit.note(std::move(entry));
  co_return archive_of(services, user->id);
}

web::Answer delete_user(const Services& services, const web::Request& request) {
  const auto user = user_named(services, request.param("user"));
  if (!user) co_return web::not_found("No such user");
  const auto erased = co_await services.account_deletions.leave(audit::actor_of(request), user->id);
  if (!erased) co_return erased.error();
  co_return answer_of(*erased);
}

web::Answer delete_account(const Services& services, const web::Request& request, second_factor::StepUpProof proof) {
  const auto proved = co_await second_factor::step_up(services.accounts, services.sessions, services.factor,
                                                      request.caller, std::move(proof));
  if (!proved) co_return proved.error();
  const auto erased = co_await services.account_deletions.leave(audit::actor_of(request), request.caller.user_id);
  if (!erased) co_return erased.error();
  co_return accounts::with_session_cookie(answer_of(*erased), accounts::Sessions::cleared(request.secure));
}

const web::RateLimit export_limit{.group = "export", .limit = 6, .window = std::chrono::minutes(10)};
const web::RateLimit leaving_limit{.group = "account", .limit = 20, .limits_guesses = true};

constexpr auto exporting =
    "A tar.gz archive of everything that is yours, sent while it is made: the profile, and a file of JSON lines for "
    "each "
    "kind of record (agents with their configs, conversations, scheduled prompts, usage, wallet addresses, ...), and "
    "the "
    "workspaces of your agents with their memories. Secrets are left out: tokens, keys, and what you stored encrypted.";

constexpr auto leaving =
    "Erases the account and everything that is yours: agents with their files, conversations, keys, history and "
    "sign-in "
    "methods. Sums of usage and entries of the ledger stay without a name, and the audit log keeps its entries without "
    "what they say about you. There is no way back: export first. 409 with a `code` while something stands in the way: "
    "LAST_ADMIN, BALANCE_LEFT, SUBSCRIPTION_ACTIVE. `erased` is false, with 202, if something could not be erased yet; "
    "the box goes on with it. ";

web::Endpoint sends_archive(web::Endpoint endpoint) {
  endpoint.answer = [] { return boost::json::value{{"type", "string"}, {"contentMediaType", "application/gzip"}}; };
  return endpoint;
}

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/settings/export", guards.session, &export_limit,
       sends_archive(web::plain(on(export_data)).describe(exporting)), "Download everything that is yours"},
      {web::DELETE, "/api/settings/account", guards.session, &leaving_limit,
       web::body<second_factor::StepUpProof>(on(delete_account))
           .returns<DeletedAccount>()
           .fails({web::Kind::conflict})
           .describe(std::string(leaving) + second_factor::proof_description),
       "Delete the account and everything in it"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/admin/users/:user/export", guards.backend.users_secrets, nullptr,
       sends_archive(web::plain(on(export_user)).describe("`user` is an id or an e-mail. As /api/settings/export.")),
       "Download everything that is a user's"},
      {web::DELETE, "/api/admin/users/:user", guards.backend.users, nullptr,
       web::plain(on(delete_user))
           .returns<DeletedAccount>()
           .fails({web::Kind::conflict})
           .describe("`user` is an id or an e-mail. " + std::string(leaving)),
       "Delete a user and everything the user has"},
  };
}

}  // namespace personal_data
