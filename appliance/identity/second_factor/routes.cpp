
#include "appliance/identity/second_factor/handlers.h"
#include "web/routes/endpoint.h"

namespace second_factor {

namespace {

const web::RateLimit change_limit{.group = "second-factor", .limit = 30, .limits_guesses = true};

constexpr const char* state_description =
    "`required`: this user must set up a second factor before doing anything else. Users without a password need a "
    "sign-in within the last ten minutes to set one up. `passkeyOrigin` is where passkeys work, null if nowhere.";
constexpr const char* app_description = "A secret for an authenticator app (RFC 6238). It takes effect once confirmed.";
constexpr const char* confirm_description =
    "The first code of the app. The ten recovery codes are shown only once; each replaces one code. Users who still "
    "have some get none.";
constexpr const char* codes_description = "Ten new recovery codes, shown only once; they replace all earlier ones.";
constexpr const char* disable_description = "Removes app, passkeys and recovery codes.";
constexpr const char* offer_description =
    "`publicKey` is for PublicKeyCredential.parseCreationOptionsFromJSON(), within five minutes. 503 when the box is "
    "known by an IP address: passkeys need a domain name. 409, PASSKEY_ADDRESS, with the `url` where they work, for "
    "pages of another origin.";
constexpr const char* passkey_description =
    "`credential` is the result of navigator.credentials.create() as its toJSON() writes it: ES256 or RS256, no "
    "attestation. Sign-in asks for it from then on. The first factor comes with ten recovery codes, shown only once.";

std::string with_proof(std::string description) { return description + " " + proof_description; }

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& session = guards.session_enrolling;
  const std::string path = "/api/settings/second-factor", passkey_path = path + "/passkeys";
  return {
      {web::GET, path, session, nullptr, web::plain(on(show_state)).returns<StateView>().describe(state_description),
       "State of the second factor"},
      {web::POST, path + "/begin", session, &change_limit,
       web::body<StepUpProof>(on(begin_app)).returns<AppSecretView>().describe(with_proof(app_description)),
       "Set up an authenticator app"},
      {web::POST, path + "/confirm", session, &change_limit,
       web::body<AppCode>(on(confirm_app)).returns<RecoveryCodes>().describe(confirm_description),
       "Turn on the authenticator app"},
      {web::DELETE, path + "/app", session, &change_limit,
       web::body<Proof>(on(remove_app)).returns<web::Succeeded>().describe(proof_description),
       "Remove the authenticator app"},
      {web::POST, path + "/recovery-codes", session, &change_limit,
       web::body<Proof>(on(renew_codes)).returns<RecoveryCodes>().describe(with_proof(codes_description)),
       "Create new recovery codes"},
      {web::POST, path + "/disable", session, &change_limit,
       web::body<Proof>(on(disable)).returns<web::Succeeded>().describe(with_proof(disable_description)),
       "Turn off the second factor"},

      {web::GET, passkey_path, session, nullptr, web::plain(on(list_passkeys)).returns<PasskeyList>(), "List passkeys"},
      {web::POST, passkey_path + "/begin", session, &change_limit,
       web::body<StepUpProof>(on(begin_passkey)).returns<CreationOffer>().describe(with_proof(offer_description)),
       "Begin adding a passkey"},
      {web::POST, passkey_path, session, &change_limit,
       web::body<NewPasskey>(on(add_passkey)).returns<AddedPasskey>(201).describe(passkey_description),
       "Add a passkey"},
      {web::PATCH, passkey_path + "/:id", session, &change_limit,
       web::body<PasskeyName>(on(rename_passkey)).returns<PasskeyView>(), "Rename a passkey"},
      {web::DELETE, passkey_path + "/:id", session, &change_limit,
       web::body<Proof>(on(remove_passkey)).returns<RemovedPasskey>().describe(proof_description), "Remove a passkey"},
  };
}

}  // namespace second_factor
