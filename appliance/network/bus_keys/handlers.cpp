#include "appliance/network/bus_keys/handlers.h"

#include "appliance/foundation/crypto/base64url.h"
#include "appliance/runtime/bus_identity.h"

namespace bus_keys {

namespace {

KeyView view_of(const Key& key) {
  KeyView view{.id = key.id,
               .agentId = key.agent,
               .algorithm = std::string(name_of(key.algorithm)),
               .publicKey = {},
               .createdAt = key.created_at,
               .expiresAt = key.expires_at};
  if (!key.public_key.empty()) view.publicKey = key.public_key;
  return view;
}

KeyView own_key_of(const bus::Participant& agent) {
  return {.id = std::string(runtime::own_bus_key_id),
          .agentId = agent.id,
          .algorithm = std::string(name_of(Algorithm::ed25519)),
          .publicKey = crypto::to_base64url(runtime::own_bus_key(agent.box_token.clear).public_key()),
          .createdAt = {},
          .expiresAt = {}};
}

web::Result<NewKey> parse_key(const AddRequest& request) {
  const auto algorithm = algorithm_named(request.algorithm);
  if (!algorithm) return web::invalid("algorithm must be one of: ed25519, eip191, hmac-sha256, webhook");
  const bool needs_public_key = *algorithm == Algorithm::ed25519 || *algorithm == Algorithm::eip191;
  if (needs_public_key && !request.publicKey) return web::invalid("publicKey is required");
  if (!needs_public_key && request.publicKey) return web::invalid("publicKey is not used with this algorithm");
  NewKey key{.algorithm = *algorithm, .public_key = {}, .replaces = {}};
  if (request.publicKey) key.public_key = *request.publicKey;
  if (request.replaces) key.replaces = *request.replaces;
  return key;
}

}  // namespace

std::optional<store::UserId> caller(const store::System&, const web::Request& request, const std::string&) {
  return request.caller.user_id;
}

std::optional<store::UserId> owner_of_agent(const store::System& system, const web::Request&,
                                            const std::string& agent) {
  const auto found = bus::find_participant(system, agent);
  return found ? std::optional(found->value.owner) : std::nullopt;
}

web::Answer list_keys(const Services& services, OwnerOf owner_of, const web::Request& request, KeysQuery query) {
  const auto owner = owner_of(services.system, request, query.agentId);
  const auto agent = owner ? bus::find_participant(services.system, *owner, query.agentId) : std::nullopt;
  if (!agent) co_return no_such_agent();
  const auto keys = services.keys.list(*owner, query.agentId);
  if (!keys) co_return keys.error();
  KeyList answer;
  answer.keys.push_back(own_key_of(agent->value));
  for (const auto& key : *keys) answer.keys.push_back(view_of(key));
  answer.count = std::int64_t(answer.keys.size());
  co_return web::reply(answer, 200);
}

web::Answer add_key(const Services& services, OwnerOf owner_of, const web::Request& request, AddRequest body) {
  auto wanted = parse_key(body);
  if (!wanted) co_return wanted.error();
  const auto owner = owner_of(services.system, request, body.agentId);
  if (!owner) co_return no_such_agent();
  auto added = co_await services.keys.add(*owner, std::move(body.agentId), std::move(*wanted));
  if (!added) co_return added.error();
  auto entry = audit::of_request(request, "bus key added", added->key.agent);
  co_await services.audit.note(std::move(entry));
  AddAnswer answer{.key = view_of(added->key), .secret = {}};
  if (!added->secret.empty()) answer.secret = std::move(added->secret);
  co_return web::reply(answer, 201);
}

web::Answer revoke_key(const Services& services, OwnerOf owner_of, const web::Request& request, RevokeRequest body) {
  const auto owner = owner_of(services.system, request, body.agentId);
  if (!owner) co_return web::not_found("No such key");
  const RevokeAnswer answer{.keyId = body.keyId};
  auto entry = audit::of_request(request, "bus key revoked", body.agentId);
  const auto revoked = co_await services.keys.revoke(*owner, std::move(body.agentId), answer.keyId);
  if (!revoked) co_return revoked.error();
  co_await services.audit.note(std::move(entry));
  co_return web::reply(answer, 200);
}

}  // namespace bus_keys
