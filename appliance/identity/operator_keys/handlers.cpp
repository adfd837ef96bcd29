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

}  // namespace

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

}  // namespace operator_keys
