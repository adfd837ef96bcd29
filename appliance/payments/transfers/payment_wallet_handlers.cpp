#include "appliance/payments/transfers/payment_wallet_handlers.h"

#include "web/routes/endpoint.h"
#include "web/routes/reply.h"

namespace payment_wallets {

namespace {

WalletView view(const Wallet& wallet) {
  return {wallet.id, wallet.name, wallet.kind, wallet.address, wallet.created_at};
}

web::Result<web::Response> reply_with(const web::Result<Wallet>& wallet) {
  if (!wallet) return wallet.error();
  const WalletAnswer answer{.wallet = view(*wallet)};
  return web::reply(answer, 200);
}

template <class Id>
web::Result<Wallet> find_wallet(const Wallets& wallets, store::UserId user, const std::optional<Id>& id) {
  if (!id) return web::invalid("walletId is required");
  auto wallet = wallets.find(user, *id);
  if (!wallet) return web::not_found("No such wallet");
  return std::move(*wallet);
}

web::Answer list_wallets(const Wallets& wallets, store::UserId user) {
  WalletList answer;
  for (const auto& wallet : wallets.list(user)) answer.wallets.push_back(view(wallet));
  answer.count = std::int64_t(answer.wallets.size());
  co_return web::reply(answer, 200);
}

web::Answer show_balance(const Services& services, const Wallet& wallet) {
  const auto id = wallet_id(wallet);
  BalanceAnswer answer{
      .walletId = wallet.id, .address = wallet.address, .network = services.transfers.network_name(id)};
  if (auto* network = services.transfers.network_of(id)) {
    auto balance = co_await services.balances.of(*network, crypto::EthereumAddress::parse(wallet.address).value());
    if (!balance) co_return balance.error();
    answer.balance = std::move(balance->usdc);
    answer.currency = "pathUSD";
    answer.balanceAge = chains::age_of(*balance);
    co_return web::reply(answer, 200);
  }
  if (wallet.kind == Kind::registered)
    co_return web::unavailable(
        "This box is connected to no payment chain, so the balance of a wallet from elsewhere "
        "cannot be read.");
  answer.balance = services.ledger.balance({wallet.owner, id}).to_string();
  answer.currency = "USDC";
  co_return web::reply(answer, 200);
}

web::Answer make_payment(const Services& services, store::UserId user, WalletAction body) {
  const auto wallet = find_wallet(services.wallets, user, body.walletId);
  if (!wallet) co_return wallet.error();
  const auto to = body.to ? crypto::EthereumAddress::parse(*body.to) : std::nullopt;
  if (!to) co_return web::invalid("to must be 0x and 40 hex digits; in mixed case with its checksum");
  if (!body.amount) co_return web::invalid("amount is required");
  const auto amount = payments::parse_amount(std::string_view(*body.amount));
  if (!amount) co_return amount.error();
  if (wallet->kind == Kind::registered)
    co_return web::conflict("The key of this wallet is not on this box: a payment has to be signed where it is.");
  transfers::Payment payment{.owner = user,
                             .wallet = wallet_id(*wallet),
                             .to = *to,
                             .amount = *amount,
                             .key = body.idempotencyKey.value_or("")};
  auto paid = co_await services.transfers.pay(std::move(payment));
  if (!paid) co_return paid.error();
  const PaymentAnswer answer{.payment = transfers::view(*paid)};
  co_return web::reply(answer, 200);
}

web::Answer create_wallet(Wallets& wallets, store::UserId user, std::string name) {
  const auto created = co_await wallets.create(user, std::move(name));
  co_return reply_with(created);
}

web::Answer register_wallet(Wallets& wallets, store::UserId user, std::string name, WalletAction body) {
  const auto address = body.address ? crypto::EthereumAddress::parse(*body.address) : std::nullopt;
  if (!address) co_return web::invalid("address must be 0x and 40 hex digits; in mixed case with its checksum");
  const auto registered = co_await wallets.enrol(user, std::move(name), *address);
  co_return reply_with(registered);
}

web::Answer read_wallets(const Services& services, const web::Request& request, WalletQuery query) {
  const auto user = request.caller.user_id;
  if (query.action == "list-wallets") co_return co_await list_wallets(services.wallets, user);
  if (query.action != "get-wallet" && query.action != "get-balance")
    co_return web::invalid("action must be one of: list-wallets, get-wallet, get-balance");
  const auto wallet = find_wallet(services.wallets, user, query.walletId);
  if (query.action == "get-wallet" || !wallet) co_return reply_with(wallet);
  co_return co_await show_balance(services, *wallet);
}

web::Answer run_wallet_action(const Services& services, const web::Request& request, WalletAction body) {
  const auto user = request.caller.user_id;
  std::string name = body.name ? std::string(*body.name) : std::string("Wallet");
  if (body.action == "create-wallet") co_return co_await create_wallet(services.wallets, user, std::move(name));
  if (body.action == "make-payment") co_return co_await make_payment(services, user, std::move(body));
  if (body.action == "register-wallet")
    co_return co_await register_wallet(services.wallets, user, std::move(name), std::move(body));
  co_return web::invalid("action must be one of: create-wallet, register-wallet, make-payment");
}

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

}  // namespace payment_wallets
