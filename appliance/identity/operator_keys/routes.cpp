#include "appliance/identity/operator_keys/routes.h"

#include "appliance/identity/operator_keys/handlers.h"

namespace operator_keys {

namespace {

constexpr const char* about_creating =
    "`name` is 1 to 40 lower-case letters, digits, '.', '-' and '_'; 409 if it is taken. `scopes`: users, agents, "
    "files "
    "and backup each open the routes that name them; read-only limits the key to GET, and alone opens those of the "
    "whole "
    "box except answers with credentials. `key` is shown only once. Without `expiresInDays` it does not expire.";

}  // namespace

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& key = guards.backend.internal;
  return {
      {web::GET, "/api/admin/operator-keys", key, nullptr, web::plain(on(list_keys)).returns<KeyList>(),
       "List the operator keys"},
      {web::POST, "/api/admin/operator-keys", key, nullptr,
       web::body<NewKey>(on(create_key))
           .returns<CreatedView>(201)
           .fails({web::Kind::conflict})
           .describe(about_creating),
       "Create an operator key"},
      {web::DELETE, "/api/admin/operator-keys/:name", key, nullptr,
       web::plain(on(revoke_key)).returns<web::Succeeded>().describe("The key is refused from then on."),
       "Revoke an operator key"},
  };
}

}  // namespace operator_keys
