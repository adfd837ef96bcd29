#include "appliance/identity/identities/routes.h"

#include "appliance/identity/identities/handlers.h"

namespace identities {

namespace {

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
