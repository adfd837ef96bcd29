#include "appliance/payments/wallets/routes.h"

#include "appliance/payments/wallets/handlers.h"
#include "web/routes/endpoint.h"

namespace wallets {

namespace {

const web::RateLimit wallet_rate{.group = "wallet", .limit = 60};

constexpr auto about_showing =
    "`balance` is USDC as decimal text, from the chain (L2_RPC_URL) or, on a box without one, from its own ledger "
    "(`network`: ledger). It is at most five seconds old; if the chain cannot be reached, it is the last known one, "
    "and "
    "`balanceAge` says how old (503 if there is none). Without a wallet `address` is null. On a box with a project at "
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
