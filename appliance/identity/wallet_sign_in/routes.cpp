#include "appliance/identity/wallet_sign_in/routes.h"

#include "web/endpoint.h"

namespace wallet_sign_in {

namespace {

using Answer = web::Task<web::Result<web::Response>>;

const web::RateLimit nonces{.group = "nonce", .limit = 120};
const web::RateLimit sign_ins{.group = "wallet", .limit = 60};

struct NonceView {
  std::string nonce;
};
BOOST_DESCRIBE_STRUCT(NonceView, (), (nonce))

struct SignedMessage {
  web::Text<1, 42> address;
  web::Prose<1, 8192> message;
  web::Text<4, 32770> signature;
};
BOOST_DESCRIBE_STRUCT(SignedMessage, (), (address, message, signature))

}  // namespace

std::vector<web::Route> routes(WalletSignIn& wallets, sign_in::SignIn& sign_in, const agentbox::Guards& guards) {
  const auto nonce = [&wallets](web::Request&) -> Answer {
    const NonceView answer{wallets.nonce()};
    co_return web::reply(answer, 200);
  };
  const auto nonce_endpoint = [&] {
    return web::plain(nonce).returns<NonceView>().describe("Good for ten minutes and one sign-in.");
  };
  const auto enter = [&wallets, &sign_in](web::Request& request, SignedMessage form) -> Answer {
    auto entry = audit::of_request(request, "sign-in by wallet", form.address);
    Proof proof{
        .address = std::move(form.address), .message = std::move(form.message), .signature = std::move(form.signature)};
    auto user = co_await wallets.sign_in(std::move(proof));
    const auto entered = co_await sign_in.enter(request, std::move(entry), std::move(user));
    if (!entered) co_return entered.error();
    co_return sign_in::answer(*entered);
  };
  return {
      {web::GET, "/api/auth/nonce", guards.none, &nonces, nonce_endpoint(), "A nonce for wallet sign-in"},
      {web::POST, "/api/auth/nonce", guards.none, &nonces, nonce_endpoint(), "A nonce for wallet sign-in"},
      {web::POST, "/api/wallet-auth", guards.none, &sign_ins,
       web::body<SignedMessage>(enter).returns<sign_in::LoggedIn>().describe(
           "`message` is a sign-in message of ERC-4361 for this site and its chain, with a nonce of "
           "/api/auth/nonce; `signature` is the wallet's over it, in hex. Signatures of smart wallets "
           "(ERC-1271), also of ones not yet deployed (ERC-6492), are checked through L2_RPC_URL. Who has a second "
           "factor "
           "is asked for it: see POST /api/auth/second-factor."),
       "Sign in with a wallet"},
  };
}

}  // namespace wallet_sign_in
