#include "appliance/identity/personal_data/routes.h"

#include "appliance/identity/personal_data/handlers.h"

namespace personal_data {

namespace {

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
           .returns<Left>()
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
           .returns<Left>()
           .fails({web::Kind::conflict})
           .describe("`user` is an id or an e-mail. " + std::string(leaving)),
       "Delete a user and everything the user has"},
  };
}

}  // namespace personal_data
