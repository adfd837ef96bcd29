#include "appliance/identity/wallet_sign_in/routes.h"

#include "appliance/identity/sign_in/http.h"
#include "appliance/identity/wallet_sign_in/handlers.h"
#include "web/routes/endpoint.h"

namespace wallet_sign_in {

namespace {

const web::RateLimit nonce_limit{.group = "nonce", .limit = 120};
const web::RateLimit sign_in_limit{.group = "wallet", .limit = 60};

constexpr const char* nonce_description = "Valid for ten minutes and one sign-in.";
constexpr const char* sign_in_description =
    "`message` is an ERC-4361 sign-in message for this site and its chain, with a nonce of /api/auth/nonce; "
    "`signature` is the wallet's signature of it, in hex. Signatures of smart wallets (ERC-1271), including ones not "
    "yet deployed (ERC-6492), are checked through L2_RPC_URL. `inviteCode` admits a new user where REGISTRATION is "
    "invite. Users with a second factor are asked for it: see POST "
    "/api/auth/second-factor.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& none = guards.none;
  const auto nonce = on(issue_nonce);
  return {
      {web::GET, "/api/auth/nonce", none, &nonce_limit,
       web::plain(nonce).returns<NonceView>().describe(nonce_description), "Nonce for wallet sign-in"},
      {web::POST, "/api/auth/nonce", none, &nonce_limit,
       web::plain(nonce).returns<NonceView>().describe(nonce_description), "Nonce for wallet sign-in"},
      {web::POST, "/api/wallet-auth", none, &sign_in_limit,
       web::body<SignedMessage>(on(sign_in_with_wallet)).returns<sign_in::LoggedIn>().describe(sign_in_description),
       "Sign in with a wallet"},
  };
}

}  // namespace wallet_sign_in
