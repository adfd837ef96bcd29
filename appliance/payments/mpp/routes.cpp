#include "appliance/payments/mpp/routes.h"

#include "appliance/payments/mpp/handlers.h"
#include "web/routes/endpoint.h"

namespace mpp {

namespace {

const web::RateLimit mpp_rate{.group = "mpp", .limit = 60};

constexpr const char* get_text =
    "`action` is list-wallets ({success, wallets[], count}), get-wallet ({success, wallet}) or get-balance; the latter "
    "two with walletId: {success, walletId, address, balance, currency, network, balanceAge}, from the payment chain "
    "(PAYMENT_RPC_URL) in pathUSD or, on a box without one, from its own ledger in USDC (`network`: ledger).";

constexpr const char* post_text =
    "`action` is create-wallet (`name`; its key is created and kept sealed on the box), register-wallet (`name`, "
    "`address`: a wallet whose key is elsewhere) or make-payment (`walletId`, `to`, `amount`). Returns {success, "
    "wallet}; 429 with current and limit beyond 20 wallets. A payment returns {success, payment}, whose `state` is as "
    "in "
    "POST /api/wallet/transfer; with an `idempotencyKey` it is made once. It is made on the payment chain "
    "(PAYMENT_RPC_URL) or, on a box without one, on its own ledger, between wallets of the box.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& session = guards.session;
  return {
      {web::GET, "/api/agent/mpp", session, &mpp_rate, web::query<WalletQuery>(on(read_wallets)).describe(get_text),
       "The caller's payment wallets"},
      {web::POST, "/api/agent/mpp", session, &mpp_rate,
       web::body<WalletAction>(on(run_wallet_action)).describe(post_text),
       "Create, register or pay from a payment wallet"},
  };
}

}  // namespace mpp
