#include "appliance/identity/wallet_sign_in/handlers.h"

#include "appliance/identity/sign_in/http.h"
#include "web/routes/endpoint.h"
#include "web/routes/reply.h"

namespace wallet_sign_in {

namespace {

web::Answer issue_nonce(const Services& services, const web::Request&) {
  const NonceView answer{services.wallets.nonce()};
  co_return web::reply(answer, 200);
}

web::Answer sign_in_with_wallet(const Services& services, const web::Request& request, SignedMessage form) {
  auto entry = audit::of_request(request, "sign-in by wallet", form.address);
  Proof proof{.address = std::move(form.address),
              .message = std::move(form.message),
              .signature = std::move(form.signature),
              .invite_code = std::move(form.inviteCode)};
  auto user = co_await services.wallets.sign_in(std::move(proof));
  auto client = sign_in::client_of(request);
  const auto result = co_await services.sign_in.begin(std::move(client), std::move(entry), std::move(user));
  if (!result) co_return result.error();
  co_return sign_in::reply(*result);
}

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
