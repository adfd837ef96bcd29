#include "appliance/identity/operator_keys/handlers.h"

#include "web/routes/reply.h"

namespace operator_keys {

namespace {

KeyView view(const OperatorKey& key) {
  return {.name = key.name,
          .scopes = key.scopes,
          .createdBy = key.created_by,
          .createdAt = key.created_at,
          .lastUsedAt = key.last_used_at,
          .expiresAt = key.expires_at};
}

web::Answer list_keys(const Services& services, const web::Request&) {
  KeyList answer;
  for (const auto& key : services.keys.list()) answer.keys.push_back(view(key));
  co_return web::reply(answer, 200);
}

web::Answer create_key(const Services& services, const web::Request& request, NewKey body) {
  NewOperatorKey given{.name = std::move(body.name),
                       .scopes = {body.scopes.begin(), body.scopes.end()},
                       .created_by = audit::actor_of(request).acting_as,
                       .expires_at = {}};
  if (body.expiresInDays) given.expires_at = store::now() + std::chrono::days(body.expiresInDays->value);
  auto entry = audit::of_request(request, "operator key made", given.name);
  const auto created = co_await services.keys.create(std::move(given));
  if (!created) entry.outcome = created.error().message;
  co_await services.audit.note(std::move(entry));
  if (!created) co_return created.error();
  const CreatedView answer{.name = created->key.name,
                           .scopes = created->key.scopes,
                           .key = created->secret,
                           .expiresAt = created->key.expires_at};
  co_return web::reply(answer, 201);
}

web::Answer revoke_key(const Services& services, const web::Request& request) {
  const auto revoked = co_await services.keys.revoke(request.param("name"));
  if (!revoked) co_return revoked.error();
  auto entry = audit::of_request(request, "operator key revoked", request.param("name"));
  co_await services.audit.note(std::move(entry));
  const web::Succeeded answer;
  co_return web::reply(answer, 200);
}

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
