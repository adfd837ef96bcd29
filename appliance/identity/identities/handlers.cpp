#include "appliance/identity/identities/handlers.h"

#include "web/routes/reply.h"

namespace identities {

namespace {

// See Identity::id.
IdentityView view(const Identity& identity) {
  IdentityView view{.id = OwnIdentities::handle(identity),
                    .issuer = {},
                    .account = {},
                    .disabled = identity.is_disabled,
                    .connectedAt = identity.created_at};
  const auto colon = identity.id.find(':');
  boost::describe::enum_from_string(identity.id.substr(0, colon).c_str(), view.provider);
  const auto name = identity.id.substr(colon + 1);
  const auto space = name.find(' ');
  if (space != std::string::npos) view.issuer = name.substr(0, space);
  view.account = space == std::string::npos ? name : name.substr(space + 1);
  return view;
}

}  // namespace

web::Answer list_identities(const Services& services, const web::Request& request) {
  IdentityList answer;
  for (const auto& identity : services.own.list(request.caller.user_id)) answer.identities.push_back(view(identity));
  co_return web::reply(answer, 200);
}

web::Answer disconnect_identity(const Services& services, const web::Request& request,
                                second_factor::StepUpProof proof) {
  auto actor = audit::actor_of(request);
  const auto done = co_await services.own.disconnect(std::move(actor), request.param("id"), std::move(proof));
  if (!done) co_return done.error();
  const web::Succeeded answer;
  co_return web::reply(answer, 200);
}

}  // namespace identities
