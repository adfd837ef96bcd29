#include "appliance/identity/second_factor/handlers.h"
#include "web/routes/reply.h"

namespace second_factor {

namespace {

PasskeyView view(Passkey passkey) {
  return {std::move(passkey.id), std::move(passkey.name), passkey.created_at, passkey.last_used_at};
}

}  // namespace

web::Answer list_passkeys(const Services& services, const web::Request& request) {
  PasskeyList answer;
  for (auto& passkey : services.settings.passkeys(request.caller.user_id))
    answer.passkeys.push_back(view(std::move(passkey)));
  answer.count = static_cast<std::int64_t>(answer.passkeys.size());
  co_return web::reply(answer, 200);
}

web::Answer begin_passkey(const Services& services, const web::Request& request, StepUpProof proof) {
  auto actor = audit::actor_of(request);
  std::string origin(request.header("Origin"));
  auto options = co_await services.settings.begin_passkey(std::move(actor), std::move(origin), std::move(proof));
  if (!options) co_return options.error();
  const CreationOffer answer{std::move(*options)};
  co_return web::reply(answer, 200);
}

web::Answer add_passkey(const Services& services, const web::Request& request, NewPasskey form) {
  auto actor = audit::actor_of(request);
  auto added =
      co_await services.settings.add_passkey(std::move(actor), std::move(form.name), std::move(form.credential));
  if (!added) co_return added.error();
  const AddedPasskey answer{view(std::move(added->passkey)), std::move(added->recovery_codes)};
  co_return web::reply(answer, 201);
}

web::Answer rename_passkey(const Services& services, const web::Request& request, PasskeyName form) {
  auto renamed =
      co_await services.settings.rename_passkey(request.caller.user_id, request.param("id"), std::move(form.name));
  if (!renamed) co_return renamed.error();
  co_return web::reply(view(std::move(*renamed)), 200);
}

web::Answer remove_passkey(const Services& services, const web::Request& request, Proof proof) {
  auto actor = audit::actor_of(request);
  const auto removed =
      co_await services.settings.remove_passkey(std::move(actor), request.param("id"), std::move(proof));
  if (!removed) co_return removed.error();
  const RemovedPasskey answer{.id = request.param("id")};
  co_return web::reply(answer, 200);
}

}  // namespace second_factor
