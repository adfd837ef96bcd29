#include "appliance/payments/transfers/handlers.h"

#include "appliance/billing/usage/period.h"
#include "web/routes/endpoint.h"
#include "web/routes/reply.h"

namespace transfers {

namespace {

constexpr std::size_t usual_page = 100, agents_page = 20;

web::Result<crypto::EthereumAddress> address_in(const std::string& text, const std::string& field) {
  const auto address = crypto::EthereumAddress::parse(text);
  if (!address) return web::invalid(field + " must be 0x and 40 hex digits; in mixed case with its checksum");
  return *address;
}

// The wallet that a request of its owner is about.
web::Result<std::string> wallet_named(const Services& services, store::UserId user,
                                      const std::optional<web::Id>& agent) {
  if (!agent) return std::string(wallets::user_wallet);
  if (!services.agents.find(user, *agent)) return web::not_found("Agent not found");
  return wallets::agent_wallet(*agent);
}

web::Result<std::optional<std::int64_t>> amount_in(const std::optional<web::Text<1, 40>>& text,
                                                   const std::string& field) {
  if (!text) return std::nullopt;
  const auto amount = payments::Usdc::parse_rounded(*text);
  if (!amount) return web::invalid(field + " must be a plain decimal number, such as \"12.50\"");
  return amount->micro();
}

std::optional<std::string> shown(const std::optional<std::int64_t>& micro) {
  if (!micro) return std::nullopt;
  return payments::Usdc::of_micro(*micro).to_string();
}

RulesView view(const Services& services, const Rules& rules) {
  const auto today = usage::Period::day(store::now()).name();
  return {.wallet = rules.id,
          .dailyUsdc = shown(rules.daily),
          .approvalAboveUsdc = shown(rules.approval_above),
          .receivers = rules.receivers,
          .spentTodayUsdc = services.transfers.rules.spent(rules.owner, rules.id, today).to_string()};
}

web::Task<web::Result<AgentWalletView>> agent_wallet_view(const Services& services, store::UserId user,
                                                          std::string agent) {
  const auto id = wallets::agent_wallet(agent);
  auto wallet = co_await services.wallets.obtain(user, id);
  AgentWalletView view{.agentId = std::move(agent),
                       .address = wallet.address,
                       .balance = services.ledger.balance({user, id}).to_string(),
                       .network = services.transfers.network_name(id),
                       .native = {},
                       .createdAt = wallet.created_at};
  auto* network = services.transfers.network_of(id);
  if (!network) co_return view;
  auto balance = co_await services.balances.of(*network, wallets::address_of(wallet));
  if (!balance) co_return balance.error();
  view.balance = std::move(balance->usdc);
  view.native = std::move(balance->native);
  view.balanceAge = chains::age_of(*balance);
  co_return view;
}

web::Answer reply_with(web::Result<Report> report) {
  if (!report) co_return report.error();
  co_return web::reply(transfers::view(*report), 200);
}

web::Answer decide(const Services& services, const web::Request& request, bool is_approved) {
  auto report = co_await services.transfers.decide(request.caller.user_id, request.param("id"), is_approved);
  co_return co_await reply_with(std::move(report));
}

web::Answer pay(const Services& services, const web::Request& request, PaymentRequest body) {
  const auto user = request.caller.user_id;
  const auto amount = payments::parse_amount(body.amount);
  if (!amount) co_return amount.error();
  const auto to = address_in(body.to, "to");
  if (!to) co_return to.error();
  auto wallet = wallet_named(services, user, body.agentId);
  if (!wallet) co_return wallet.error();
  if (body.testnet.value_or(false)) {
    if (body.agentId) co_return web::invalid("testnet must not be set together with agentId");
    *wallet = wallets::testnet_wallet;
  }
  Payment payment{.owner = user,
                  .wallet = std::move(*wallet),
                  .to = *to,
                  .token = body.token.value_or(Token::usdc),
                  .amount = *amount,
                  .key = body.idempotencyKey.value_or(""),
                  .memo = body.memo.value_or("")};
  auto report = co_await services.transfers.pay(std::move(payment));
  co_return co_await reply_with(std::move(report));
}

web::Answer list_transfers(const Services& services, const web::Request& request, PageQuery query) {
  const auto limit = query.limit ? static_cast<std::size_t>(query.limit->value) : usual_page;
  TransferList answer;
  for (const auto& report :
       services.transfers.list(request.caller.user_id, {.limit = limit, .before = query.before.value_or("")}))
    answer.transfers.push_back(transfers::view(report));
  if (answer.transfers.size() == limit) answer.next = answer.transfers.back().id;
  co_return web::reply(answer, 200);
}

web::Answer show_transfer(const Services& services, const web::Request& request) {
  const auto found = services.transfers.find(request.caller.user_id, request.param("id"));
  if (!found) co_return web::not_found("Transfer not found");
  co_return web::reply(transfers::view(*found), 200);
}

web::Answer approve(const Services& services, const web::Request& request) {
  co_return co_await decide(services, request, true);
}

web::Answer decline(const Services& services, const web::Request& request) {
  co_return co_await decide(services, request, false);
}

web::Answer show_rules(const Services& services, const web::Request& request, WalletQuery query) {
  const auto user = request.caller.user_id;
  const auto wallet = wallet_named(services, user, query.agentId);
  if (!wallet) co_return wallet.error();
  co_return web::reply(view(services, services.transfers.rules.of(user, *wallet)), 200);
}

web::Answer set_rules(const Services& services, const web::Request& request, RulesRequest body) {
  const auto user = request.caller.user_id;
  const auto wallet = wallet_named(services, user, body.agentId);
  if (!wallet) co_return wallet.error();
  const auto daily = amount_in(body.dailyUsdc, "dailyUsdc"),
             approval_above = amount_in(body.approvalAboveUsdc, "approvalAboveUsdc");
  if (!daily) co_return daily.error();
  if (!approval_above) co_return approval_above.error();
  Rules rules{.owner = user, .id = *wallet, .daily = *daily, .approval_above = *approval_above, .receivers = {}};
  if (body.receivers)
    for (std::size_t at = 0; at < body.receivers->size(); ++at) {
      const auto address = address_in((*body.receivers)[at], "receivers[" + std::to_string(at) + "]");
      if (!address) co_return address.error();
      rules.receivers.push_back(address->checksummed());
    }
  rules = co_await services.transfers.rules.set(std::move(rules));
  co_return web::reply(view(services, rules), 200);
}

web::Answer show_agent_wallet(const Services& services, const web::Request& request) {
  const auto user = request.caller.user_id;
  const auto& agent = request.param("agentId");
  if (!services.agents.find(user, agent)) co_return web::not_found("Agent not found");
  auto wallet = co_await agent_wallet_view(services, user, agent);
  if (!wallet) co_return wallet.error();
  co_return web::reply(*wallet, 200);
}

web::Answer show_test_wallet(const Services& services, const web::Request& request) {
  const auto wallet = services.wallets.find(request.caller.user_id, wallets::testnet_wallet);
  if (!wallet) co_return web::not_found("You have no wallet on the test network");
  auto* network = services.transfers.network_of(wallets::testnet_wallet);
  auto balance = co_await services.balances.of(*network, wallets::address_of(*wallet));
  if (!balance) co_return balance.error();
  const TestWalletView answer{.address = wallet->address,
                              .balance = std::move(balance->usdc),
                              .native = std::move(balance->native),
                              .network = network->name(),
                              .balanceAge = chains::age_of(*balance),
                              .createdAt = wallet->created_at};
  co_return web::reply(answer, 200);
}

web::Answer show_own_wallet(const Services& services, const web::Request& request) {
  const auto user = request.caller.user_id;
  auto wallet = co_await agent_wallet_view(services, user, request.caller.agent);
  if (!wallet) co_return wallet.error();
  const auto id = wallets::agent_wallet(request.caller.agent);
  OwnWalletView answer{
      .wallet = std::move(*wallet), .rules = view(services, services.transfers.rules.of(user, id)), .payments = {}};
  for (const auto& report : services.transfers.list(user, {.limit = usual_page})) {
    if (report.transfer.wallet == id) answer.payments.push_back(transfers::view(report));
    if (answer.payments.size() == agents_page) break;
  }
  co_return web::reply(answer, 200);
}

web::Answer pay_as_agent(const Services& services, const web::Request& request, AgentPaymentRequest body) {
  const auto user = request.caller.user_id;
  const auto amount = payments::parse_amount(body.amount);
  if (!amount) co_return amount.error();
  const auto to = address_in(body.to, "to");
  if (!to) co_return to.error();
  const auto wallet = co_await services.wallets.obtain(user, wallets::agent_wallet(request.caller.agent));
  Payment payment{.owner = user,
                  .wallet = wallet.id,
                  .to = *to,
                  .amount = *amount,
                  .key = body.idempotencyKey.value_or(""),
                  .memo = body.memo.value_or(""),
                  .agent = request.caller.agent,
                  .reason = body.why.value_or("")};
  gate::Act act{.owner = user, .agent = payment.agent, .kind = gate_kind, .effect = gate::Effect::money};
  act.target = payment.to.checksummed();
  const auto decision = services.gate.decide(act);
  if (decision == gate::Decision::refuse)
    co_return web::Error{
        .kind = web::Kind::forbidden, .message = "The rules of this agent refuse payments", .code = "ACT_REFUSED"};
  payment.needs_approval = decision == gate::Decision::ask;
  auto report = co_await services.transfers.pay(std::move(payment));
  co_return co_await reply_with(std::move(report));
}

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
    "Pays USDC from the calling agent's own wallet, within its owner's rules; see POST /api/wallet/transfer. In a turn "
    "with texts of others every payment waits, unless the agent's gate allows it.";

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
