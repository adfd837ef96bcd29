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

const web::RateLimit change_limit{.group = "identities", .limit = 30, .limits_guesses = true};

constexpr auto about_list =
    "What the account can be signed in to with besides its password, oldest first. `provider` is idp, codehost, social "
    "or wallet; `account` is the name or number there, a wallet's address. `disabled`: the provider reported that the "
    "account there was taken over. Signing in at a provider with the account's verified address connects an identity.";
const std::string about_disconnect =
    "Sessions that began with it go on. 409 for the only way to sign in. `currentPassword` proves users with a "
    "password. " +
    std::string(second_factor::proof_description);

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/settings/identities", guards.session, nullptr,
       web::plain(on(list_identities)).returns<IdentityList>().describe(about_list), "Connected identities"},
      {web::DELETE, "/api/settings/identities/:id", guards.session, &change_limit,
       web::body<second_factor::StepUpProof>(on(disconnect_identity))
           .returns<web::Succeeded>()
           .describe(about_disconnect),
       "Disconnect an identity"},
  };
}

}  // namespace identities
