#include "appliance/payments/wallets/handlers.h"

#include "appliance/foundation/email.h"
#include "web/routes/endpoint.h"
#include "web/routes/reply.h"

namespace wallets {

namespace {

web::Response show_project(const cdp::Cdp& cdp) {
  AgenticWalletAnswer answer{
      .agenticWallet = {.projectId = cdp.project(), .features = {"evm_accounts", "usdc", "gasless_signing"}},
      .instructions = "POST /api/wallet/create {email} with a session creates your account at the project."};
  return web::reply(answer, 200);
}

web::Answer create(const Services& services, store::UserId user) {
  const auto created = co_await services.wallets.create(user, std::string(user_wallet));
  if (!created) co_return web::invalid("You have a wallet already");
  const Created answer{.address = created->address,
                       .network = services.networks.name(),
                       .message = "Your wallet was created. Its key stays sealed on this box."};
  co_return web::reply(answer, 200);
}

web::Answer describe_seed(const Services& services, store::UserId user) {
  const auto wallet = services.wallets.find(user, user_wallet);
  if (!wallet) co_return web::not_found("You have no wallet");
  const SeedView answer{.address = wallet->address,
                        .network = services.networks.name(),
                        .createdAt = wallet->created_at,
                        .warning = "The key of this wallet is sealed on the box and is never shown or exported."};
  co_return web::reply(answer, 200);
}

web::Error cdp_error(const web::Error& error) {
  web::Error answer = web::internal("The wallet could not be created");
  answer.extra["details"] = error.message;
  answer.detail = error.detail;
  return answer;
}

web::Answer show_wallet(const Services& services, const web::Request& request) {
  if (services.cdp.is_configured()) co_return show_project(services.cdp);
  const auto user = request.caller.user_id;
  if (user == 0) co_return web::unauthenticated();
  const auto wallet = services.wallets.find(user, user_wallet);
  WalletView view{.network = services.networks.name()};
  if (!wallet) co_return web::reply(view, 200);
  view.address = wallet->address;
  view.hasWallet = true;
  view.createdAt = wallet->created_at;
  if (!services.networks.has_chain()) {
    view.balance = services.ledger.balance(ledger::of_user(user)).to_string();
    co_return web::reply(view, 200);
  }
  auto balance = co_await services.balances.of(services.networks.main, address_of(*wallet));
  if (!balance) {
    view.balance.reset();
    view.note = balance.error().message;
    co_return web::reply(view, 200);
  }
  view.balance = std::move(balance->usdc);
  view.native = std::move(balance->native);
  view.balanceAge = chains::age_of(*balance);
  co_return web::reply(view, 200);
}

web::Answer run_action(const Services& services, const web::Request& request, ActionRequest body) {
  const auto user = request.caller.user_id;
  if (body.action == "create") co_return co_await create(services, user);
  if (body.action == "get_seed") co_return co_await describe_seed(services, user);
  if (body.action == "export_seed") co_return web::forbidden("The keys of wallets are never exported");
  co_return web::invalid("action must be one of: create, get_seed, export_seed");
}

web::Answer show_address(const Services& services, const web::Request& request) {
  if (services.cdp.is_incomplete()) {
    const AddressNeedsSetup answer{.error = "Coinbase's developer platform is not configured completely",
                                   .setup = cdp::setup_text};
    co_return web::reply(answer, 200);
  }
  if (request.caller.user_id == 0) {
    const AddressNeedsSession answer{.message = "Sign in to see the address of your wallet"};
    co_return web::reply(answer, 200);
  }
  AddressView answer;
  if (const auto wallet = services.wallets.find(request.caller.user_id, user_wallet)) answer.address = wallet->address;
  co_return web::reply(answer, 200);
}

web::Answer create_at_cdp(const Services& services, const web::Request& request, CreateRequest body) {
  const auto email = agentbox::normalised_email(body.email);
  if (!email) co_return web::invalid("email must be an e-mail address");
  if (!services.cdp.is_configured()) {
    web::Error error = web::internal("Coinbase's developer platform is not configured");
    error.extra["setup"] = cdp::setup_text;
    co_return error;
  }
  const auto created = co_await services.cdp.obtain(request.caller.user_id, *email);
  if (!created) co_return cdp_error(created.error());
  const CreateAnswer answer{.walletAddress = created->address,
                            .walletId = created->id,
                            .networks = {services.networks.main.name(), services.networks.testnet.name()}};
  co_return web::reply(answer, 200);
}

web::Answer show_chains(const Services& services, const web::Request&) {
  const auto id = [](const chains::Network& network) { return static_cast<std::int64_t>(network.rpc.chain_id()); };
  const ChainsView answer{.supportedChains = {id(services.networks.main), id(services.networks.testnet)}};
  co_return web::reply(answer, 200);
}

web::Answer obtain_testnet_wallet(const Services& services, const web::Request& request, TestnetRequest body) {
  const auto user = request.caller.user_id;
  std::string id(testnet_wallet);
  TestnetAnswer answer{.network = services.networks.testnet.name()};
  if (!body.privateKey) {
    answer.address = (co_await services.wallets.obtain(user, std::move(id))).address;
    co_return web::reply(answer, 200);
  }
  const auto signer = crypto::EthereumSigner::from_text(*body.privateKey);
  if (!signer)
    co_return web::invalid(
        "privateKey must be 0x and 64 hex digits, and a key of the curve secp256k1: neither 0 nor "
        "beyond its order");
  auto imported = co_await services.wallets.import(user, std::move(id), *signer);
  if (!imported) co_return imported.error();
  answer.address = std::move(imported->address);
  co_return web::reply(answer, 200);
}

const web::RateLimit wallet_rate{.group = "wallet", .limit = 60};

constexpr auto about_showing =
    "`balance` is USDC as decimal text, from the chain (L2_RPC_URL) or, on a box without one, from its own ledger "
    "(`network`: ledger). It is at most five seconds old; if the chain cannot be reached, it is the last known one, "
    "and "
    "`balanceAge` says how old; if there is none, `balance` is null and `note` says why. Without a wallet `address` is "
    "null. On a box with a project at "
    "Coinbase's developer platform the answer is {agenticWallet: {status, projectId, features[]}, instructions} "
    "instead, "
    "and needs no session.";

constexpr auto about_actions =
    "`create` makes the user's wallet, whose key stays sealed on the box ({address, network, message}; 400 if there is "
    "one). `get_seed` answers what is known about the key, never the key ({address, network, createdAt, warning}; 404 "
    "without a wallet). `export_seed` is always refused with 403.";

constexpr auto about_address =
    "Without a session {authenticated: false, needsAuth: true, message}. `address` is null for users without a wallet. "
    "If "
    "the settings of Coinbase's developer platform are incomplete: {authenticated: false, needsAuth: true, error, "
    "setup}.";

constexpr auto about_creating =
    "Makes an account of the caller at Coinbase's developer platform, once: asking again answers the same. Without its "
    "settings (CDP_PROJECT_ID, CDP_API_KEY_ID, CDP_API_KEY_SECRET) 500 with `setup`; if the platform refuses or cannot "
    "be "
    "reached, 500 with `details`.";

constexpr auto about_testnet =
    "The caller's wallet on the test network. With `privateKey` (0x and 64 hex digits) that key is imported, otherwise "
    "a "
    "key is generated; a user has one such wallet, and asking again answers the same. 409 for another key than that "
    "wallet's, or one that another wallet of this box has.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/wallet", guards.session_optional, &wallet_rate,
       web::plain(on(show_wallet)).returns<WalletView>().describe(about_showing), "The caller's wallet"},
      {web::POST, "/api/wallet", guards.session, &wallet_rate,
       web::body<ActionRequest>(on(run_action)).describe(about_actions), "Create the caller's wallet"},
      {web::GET, "/api/wallet/address", guards.session_optional, &wallet_rate,
       web::plain(on(show_address)).describe(about_address), "Address of the caller's wallet"},
      {web::POST, "/api/wallet/create", guards.session, &wallet_rate,
       web::body<CreateRequest>(on(create_at_cdp)).returns<CreateAnswer>().describe(about_creating),
       "Create a wallet at Coinbase's developer platform"},
      {web::GET, "/api/wallet/cdp", guards.none, &wallet_rate, web::plain(on(show_chains)).returns<ChainsView>(),
       "The chains of wallets: their ids, the main one first"},
      {web::POST, "/api/wallet/cdp", guards.session, &wallet_rate,
       web::body<TestnetRequest>(on(obtain_testnet_wallet)).returns<TestnetAnswer>().describe(about_testnet),
       "Create or import the caller's wallet on the test network"},
  };
}

}  // namespace wallets
