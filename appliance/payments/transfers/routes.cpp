#include "appliance/payments/transfers/routes.h"

#include "appliance/payments/transfers/handlers.h"
#include "web/routes/endpoint.h"

namespace transfers {

namespace {

const web::RateLimit transfers_rate{.group = "transfers", .limit = 60};

constexpr auto about_paying =
    "Pays from the caller's wallet or, with `agentId`, from that agent's; with `testnet`: true, from the caller's "
    "wallet on "
    "the test network. `amount` is a positive number or its plain "
    "decimal "
    "text, and is rounded to six decimals; `token` is usdc (the default) or native. With an `idempotencyKey` the "
    "payment is "
    "made once: the same request again answers the same transfer, another one with that key is refused with 409. "
    "`state`: `waiting` for the owner's approval, then `declined`, or `queued`, `signed`, `sent`, `replaced` (sent "
    "again "
    "with a higher fee), `confirmed` or `failed` with a reason. On a box without a chain it is made on the box's own "
    "ledger at "
    "once, between wallets of the box. 402 INSUFFICIENT_BALANCE, 403 RECEIVER_NOT_ALLOWED, 429 DAILY_LIMIT_REACHED "
    "with "
    "limit, spent and resetsAt; 404 without a wallet; 503 while the chain cannot be asked.";

constexpr auto about_rules =
    "Replaces the rules of the caller's wallet or, with `agentId`, of that agent's. `dailyUsdc` limits the USDC that "
    "it pays "
    "in a UTC day, `receivers` are the only addresses that it may pay (empty: all), and payments above "
    "`approvalAboveUsdc` wait for approval; null or missing: no limit, no approval. Payments of the native token are "
    "not "
    "counted in USDC; they wait if there is an amount for approval. Without rules an agent's wallet pays nothing "
    "without approval, and the user's own has no limits.";

constexpr auto about_agent_paying =
    "Pays USDC from the calling agent's own wallet, within its owner's rules; see POST /api/wallet/transfer.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& session = guards.session;
  return {
      {web::POST, "/api/wallet/transfer", session, &transfers_rate,
       web::body<PaymentRequest>(on(pay)).returns<TransferView>().describe(about_paying),
       "Pay from the caller's wallet or an agent's"},
      {web::GET, "/api/wallet/transfers", session, &transfers_rate,
       web::query<PageQuery>(on(list_transfers))
           .returns<TransferList>()
           .describe("Of all the caller's wallets, newest first; `next` is the `before` of the following page, or "
                     "null."),
       "The caller's transfers"},
      {web::GET, "/api/wallet/transfers/:id", session, &transfers_rate,
       web::plain(on(show_transfer)).returns<TransferView>(), "One transfer"},
      {web::POST, "/api/wallet/transfers/:id/approve", session, &transfers_rate,
       web::plain(on(approve))
           .returns<TransferView>()
           .describe("409 unless it waits. If the limit of the day or the balance does not allow it, it goes on "
                     "waiting."),
       "Approve a transfer that waits"},
      {web::POST, "/api/wallet/transfers/:id/decline", session, &transfers_rate,
       web::plain(on(decline)).returns<TransferView>().describe("409 unless it waits."),
       "Decline a transfer that waits"},
      {web::GET, "/api/wallet/rules", session, &transfers_rate,
       web::query<WalletQuery>(on(show_rules)).returns<RulesView>(), "Spending rules of a wallet"},
      {web::PUT, "/api/wallet/rules", session, &transfers_rate,
       web::body<RulesRequest>(on(set_rules)).returns<RulesView>().describe(about_rules),
       "Set the spending rules of a wallet"},
      {web::GET, "/api/wallet/agents/:agentId", session, &transfers_rate,
       web::plain(on(show_agent_wallet))
           .returns<AgentWalletView>()
           .describe("The wallet of one of the caller's agents; it is made now unless it exists."),
       "An agent's wallet"},
      {web::GET, "/api/wallet/testnet", session, &transfers_rate,
       web::plain(on(show_test_wallet))
           .returns<TestWalletView>()
           .describe("404 before POST /api/wallet/cdp; 503 without TESTNET_RPC_URL."),
       "The caller's wallet on the test network"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& token = guards.agent_token;
  return {
      {web::GET, "/api/agent-payments", token, nullptr,
       web::plain(on(show_own_wallet))
           .returns<OwnWalletView>()
           .describe("With what it may still pay today, and its newest 20 payments."),
       "The calling agent's wallet"},
      {web::POST, "/api/agent-payments", token, nullptr,
       web::body<AgentPaymentRequest>(on(pay_as_agent)).returns<TransferView>().describe(about_agent_paying),
       "Pay from the calling agent's wallet"},
  };
}

}  // namespace transfers
