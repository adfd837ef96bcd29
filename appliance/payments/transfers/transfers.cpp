#include "appliance/payments/transfers/transfers.h"

#include <algorithm>

#include "appliance/billing/usage/period.h"
#include "appliance/foundation/chain/amount.h"
#include "appliance/foundation/chain/erc20.h"
#include "appliance/foundation/chain/uint256.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/ordered_id.h"
#include "appliance/payments/transfers/payment_wallets.h"
#include "store/transact.h"
#include "web/routes/reply.h"

namespace transfers {

namespace {

constexpr std::chrono::milliseconds pause{250};
constexpr std::size_t at_once = 1'000;
constexpr unsigned usdc_decimals = 6;

std::string key_of(const Payment& payment) {
  const auto key = payment.key.empty() ? "new " + crypto::random_id(20) : "key " + payment.key;
  return std::to_string(payment.owner) + "/" + payment.wallet + "/" + key;
}

std::string reference_of(const Transfer& transfer) { return "transfer/" + transfer.id; }

bool is_same(const Transfer& made, const Payment& payment) {
  return made.to == payment.to.checksummed() && made.token == payment.token && made.amount == payment.amount.micro();
}

crypto::EthereumAddress receiver_of(const Transfer& transfer) {
  return crypto::EthereumAddress::parse(transfer.to).value();
}

// Millionths of a coin of eighteen decimals, in wei.
std::string wei_of(std::int64_t millionths) {
  return chain::word_of_digits(std::to_string(millionths) + "000000000000").value();
}

web::Error insufficient(std::string message = "The balance is too low for this payment") {
  return {.kind = web::Kind::payment_required, .message = std::move(message), .code = "INSUFFICIENT_BALANCE"};
}

}  // namespace

std::string state_of(const Report& report) {
  switch (report.transfer.status) {
    case Status::approved:
      return "queued";
    case Status::paying:
      return report.transaction ? std::string(transactions::name_of(report.transaction->state)) : "queued";
    default:
      return boost::describe::enum_to_string(report.transfer.status, "");
  }
}

Transfers::Transfers(store::System system, const wallets::Wallets& wallets, ledger::Ledger& ledger,
                     chains::Networks& networks, chains::Balances& balances, transactions::Sender& sender,
                     gate::Gate& gate, boost::asio::io_context& home)
    : rules(system),
      system_(std::move(system)),
      wallets_(wallets),
      ledger_(ledger),
      networks_(networks),
      balances_(balances),
      sender_(sender),
      gate_(gate),
      worker_(home, "transfers", pause, [this] { return advance_all(); }) {
  gate_.add_executor(gate_kind, executor());
}

chains::Network* Transfers::network_of(std::string_view wallet) const {
  if (wallet == wallets::testnet_wallet) return &networks_.testnet;
  auto& network = wallet.starts_with(payment_wallets::wallet_prefix) ? networks_.payment : networks_.main;
  return network.rpc.is_configured() ? &network : nullptr;
}

std::string Transfers::network_name(std::string_view wallet) const {
  const auto* network = network_of(wallet);
  return network ? network->name() : chains::ledger_network;
}

web::Task<web::Result<Report>> Transfers::pay(Payment payment) {
  const auto wallet = wallets_.find(payment.owner, payment.wallet);
  if (!wallet) co_return web::not_found("There is no such wallet: create it first");
  const auto key = key_of(payment);
  const auto known = [&] { return system_.find_unique(transfers_table, "key", key); };
  for (;;) {
    if (auto earlier = known()) {
      if (is_same(earlier->value, payment)) co_return report(std::move(earlier->value));
      co_return web::Error{.kind = web::Kind::conflict,
                           .message = "This idempotencyKey was used for another transfer",
                           .code = "IDEMPOTENCY_KEY_ALREADY_USED"};
    }
    if (const auto checked = co_await check(payment, *wallet); !checked) co_return checked.error();
    const auto now = store::now();
    Transfer transfer{.owner = payment.owner,
                      .id = "tr_" + agentbox::ordered_id(now),
                      .wallet = payment.wallet,
                      .key = key,
                      .to = payment.to.checksummed(),
                      .token = payment.token,
                      .amount = payment.amount.micro(),
                      .memo = payment.memo,
                      .network = network_name(payment.wallet),
                      .created_at = now,
                      .updated_at = now};
    const auto limits = rules.of(payment.owner, payment.wallet);
    const bool waits =
        payment.needs_approval ||
        (limits.approval_above && (payment.token == Token::native || payment.amount.micro() > *limits.approval_above));
    auto change = system_.change();
    std::optional<gate::Ask> ask;
    if (waits) {
      transfer.status = Status::waiting;
      ask = gate_.ask_in(change, act_of(transfer, payment));
    } else if (const auto authorized = authorize(change, transfer); !authorized)
      co_return authorized.error();
    change.insert(transfers_table, transfer);
    const auto outcome = co_await change.commit();
    if (outcome.ok()) {
      if (ask) co_await gate_.announce(std::move(*ask));
      if (transfer.status == Status::approved) transfer = co_await advance(std::move(transfer));
      co_return report(std::move(transfer));
    }
    // The same request, made twice at once, may have used up the limit or the balance: the next round finds it.
    if (!known()) co_return refusal(outcome, transfer);
  }
}

web::Task<web::Result<void>> Transfers::check(const Payment& payment, const wallets::Wallet& wallet) const {
  if (payment.to.bytes() == std::string(20, '\0')) co_return web::invalid("to must not be the zero address");
  if (payment.to == wallets::address_of(wallet)) co_return web::invalid("to must not be the paying wallet itself");
  const auto limits = rules.of(payment.owner, payment.wallet);
  if (!limits.receivers.empty() &&
      std::ranges::find(limits.receivers, payment.to.checksummed()) == limits.receivers.end())
    co_return web::Error{.kind = web::Kind::forbidden,
                         .message = "This wallet may not pay this receiver",
                         .code = "RECEIVER_NOT_ALLOWED"};
  auto* network = network_of(payment.wallet);
  if (!network) {
    if (payment.token == Token::native) co_return web::invalid("token must be usdc: this box is on no chain");
    const auto receiver = wallets_.find_address(payment.to);
    if (!receiver || !wallets::Wallets::account_of(*receiver))
      co_return web::invalid("to must be a wallet of this box: it is on no chain, and pays on its own ledger");
    co_return web::Result<void>();
  }
  if (!network->rpc.is_configured())
    co_return web::unavailable("The network of this wallet is not configured on this box");
  if (payment.token == Token::native) co_return web::Result<void>();
  if (!network->usdc) co_return web::unavailable("The contract of USDC on this chain is not known: set USDC_ADDRESS");
  if (payment.to == *network->usdc) co_return web::invalid("to must not be the contract of the token");
  const auto balance = co_await balances_.of(*network, wallets::address_of(wallet));
  if (!balance) co_return balance.error();
  const auto held = chain::without_point(balance->usdc, usdc_decimals);
  if (!held || !chain::at_least(*held, std::to_string(payment.amount.micro())))
    co_return insufficient("The balance of " + balance->usdc + " USDC is too low for this payment");
  co_return web::Result<void>();
}

// A payment between wallets of one owner costs nothing.
bool Transfers::is_cost(const Transfer& transfer) const {
  const auto receiver = wallets_.find_address(receiver_of(transfer));
  return !receiver || receiver->owner != transfer.owner;
}

web::Result<void> Transfers::authorize(store::Change& change, Transfer& transfer) const {
  const auto amount = payments::Usdc::of_micro(transfer.amount);
  transfer.status = Status::approved;
  if (transfer.token == Token::usdc) {
    transfer.day = usage::Period::day(store::now()).name();
    rules.count(change, rules.of(transfer.owner, transfer.wallet), transfer.day, amount);
    if (is_cost(transfer)) rules.add_cost(change, transfer.owner, transfer.wallet, transfer.day, amount);
  }
  if (network_of(transfer.wallet)) {
    transfer.pending = transfer.id;
    return {};
  }
  const auto receiver = wallets_.find_address(receiver_of(transfer));
  const auto account = receiver ? wallets::Wallets::account_of(*receiver) : std::nullopt;
  if (!account) return web::invalid("to must be a wallet of this box");
  ledger_.post(change, {.reference = reference_of(transfer),
                        .from = {transfer.owner, transfer.wallet},
                        .to = *account,
                        .amount = amount,
                        .memo = transfer.memo});
  transfer.status = Status::confirmed;
  return {};
}

web::Error Transfers::refusal(const store::Outcome& outcome, const Transfer& transfer) const {
  if (SpendRules::is_over_limit(outcome)) {
    const auto limits = rules.of(transfer.owner, transfer.wallet);
    const auto now = store::now();
    const auto spent = rules.spent(transfer.owner, transfer.wallet, usage::Period::day(now).name());
    web::Error error{.kind = web::Kind::too_many,
                     .message = "This payment is beyond the wallet's limit for a day",
                     .code = "DAILY_LIMIT_REACHED"};
    error.extra["limit"] = payments::Usdc::of_micro(limits.daily.value_or(0)).to_string();
    error.extra["spent"] = spent.to_string();
    error.extra["resetsAt"] = web::iso8601(usage::next_day(now));
    return error;
  }
  if (auto refused = ledger::Ledger::refusal(outcome)) return std::move(*refused);
  return web::conflict("The transfer was changed by another request");
}

gate::Executor Transfers::executor() {
  gate::Executor executor;
  executor.settle = [this](store::Change& change, gate::Ask& ask, bool is_allowed) -> web::Result<void> {
    const std::string id(ask.act.at("transferId").as_string());
    auto row = system_.get(transfers_table, ask.owner, id);
    if (!row) return web::not_found("Transfer not found");
    const auto settled = settle(change, std::move(*row), is_allowed);
    if (!settled) return settled.error();
    ask.result = {{"transferId", id}, {"state", state_of({.transfer = *settled})}};
    return {};
  };
  executor.refusal = [this](const store::Outcome& outcome, const gate::Ask& ask) -> std::optional<web::Error> {
    if (outcome.kind == store::Outcome::Kind::stale) return std::nullopt;
    const auto row = system_.get(transfers_table, ask.owner, std::string(ask.act.at("transferId").as_string()));
    if (!row) return std::nullopt;
    return refusal(outcome, row->value);
  };
  return executor;
}

gate::Act Transfers::act_of(const Transfer& transfer, const Payment& payment) const {
  const auto amount = payments::Usdc::of_micro(transfer.amount).to_string() +
                      (transfer.token == Token::usdc ? " USDC" : " of the network's own coin");
  gate::Act act{.owner = transfer.owner, .agent = payment.agent, .kind = gate_kind, .effect = gate::Effect::money};
  act.target = transfer.to;
  act.title = "Pay " + amount + " to " + transfer.to;
  act.key = transfer.id;
  act.reason = payment.reason;
  act.act = {{"transferId", transfer.id}, {"wallet", transfer.wallet}, {"to", transfer.to},
             {"amount", amount},          {"memo", transfer.memo},     {"network", transfer.network}};
  return act;
}

web::Result<Transfer> Transfers::settle(store::Change& change, store::Row<Transfer> row, bool is_approved) const {
  if (row->status != Status::waiting)
    return web::conflict("This transfer does not wait for approval: it is " + state_of(report(row.value)));
  row->updated_at = store::now();
  if (!is_approved)
    row->status = Status::declined;
  else if (const auto authorized = authorize(change, row.value); !authorized)
    return authorized.error();
  change.update(transfers_table, row);
  return std::move(row.value);
}

web::Task<web::Result<Report>> Transfers::decide(store::UserId owner, std::string id, bool is_approved) {
  const auto ask = gate_.find_key(gate_kind, id);
  if (ask && ask->owner == owner && ask->state == gate::State::waiting) {
    gate::Answer answer{.is_allowed = is_approved, .by = "user:" + std::to_string(owner)};
    answer.may_be_repeated = false;
    const auto answered = co_await gate_.answer(owner, ask->id, std::move(answer));
    if (!answered) co_return answered.error();
  } else {
    // Transfers of earlier versions have no question.
    const auto decided = co_await decide_alone(owner, id, is_approved);
    if (!decided) co_return decided.error();
  }
  auto transfer = system_.get(transfers_table, owner, id);
  if (!transfer) co_return web::not_found("Transfer not found");
  if (transfer->value.status == Status::approved) transfer->value = co_await advance(std::move(transfer->value));
  co_return report(std::move(transfer->value));
}

web::Task<web::Result<Transfer>> Transfers::decide_alone(store::UserId owner, std::string id, bool is_approved) {
  const auto tenant = system_.tenant(owner);
  std::optional<store::Row<Transfer>> row;
  const auto step = [&](store::Change& change) -> web::Result<Transfer> {
    row = tenant.get(transfers_table, id);
    if (!row) return web::not_found("Transfer not found");
    return settle(change, *row, is_approved);
  };
  const auto refused = [&](const store::Outcome& outcome) -> std::optional<web::Result<Transfer>> {
    const auto now = tenant.get(transfers_table, id);
    if (!now || now->stored != row->stored) return std::nullopt;  // another request decided
    return refusal(outcome, row->value);
  };
  co_return co_await store::transact(system_, step, refused);
}

std::optional<Report> Transfers::find(store::UserId owner, std::string_view id) const {
  auto row = system_.tenant(owner).get(transfers_table, id);
  if (!row) return std::nullopt;
  return report(std::move(row->value));
}

std::vector<Report> Transfers::list(store::UserId owner, const Page& page) const {
  std::vector<Report> reports;
  for (auto& transfer :
       system_.tenant(owner).list(transfers_table, {.limit = page.limit, .after = page.before, .newest_first = true}))
    reports.push_back(report(std::move(transfer)));
  return reports;
}

Report Transfers::report(Transfer transfer) const {
  Report report{.transfer = std::move(transfer)};
  if (network_of(report.transfer.wallet)) report.transaction = sender_.find(reference_of(report.transfer));
  return report;
}

web::Task<> Transfers::advance_all() {
  for (auto& transfer : system_.find_range(transfers_table, "pending", std::string("tr_"), std::string("tr`"), at_once))
    co_await advance(std::move(transfer));
}

web::Task<Transfer> Transfers::advance(Transfer transfer) {
  if (transfer.status == Status::approved) {
    co_await hand_over(transfer);
    auto changed = co_await system_.modify(transfers_table, transfer.owner, transfer.id, [](Transfer& stored) {
      if (stored.status == Status::approved) stored.status = Status::paying;
    });
    co_return std::move(changed.value());
  }
  const auto transaction = sender_.find(reference_of(transfer));
  if (!transaction || !transactions::is_final(transaction->state)) co_return transfer;
  co_return co_await finish(std::move(transfer), *transaction);
}

web::Task<> Transfers::hand_over(const Transfer& transfer) {
  auto* network = network_of(transfer.wallet);
  const auto wallet = wallets_.find(transfer.owner, transfer.wallet);
  if (!network || !wallet) throw std::runtime_error("the network or the wallet of " + transfer.id + " is gone");
  transactions::Request request{.reference = reference_of(transfer),
                                .owner = transfer.owner,
                                .wallet = transfer.wallet,
                                .from = wallets::address_of(*wallet),
                                .chain_id = network->rpc.chain_id(),
                                .to = receiver_of(transfer)};
  if (transfer.token == Token::native) {
    request.value = wei_of(transfer.amount);
  } else {
    request.to = network->usdc.value();
    request.data = chain::transfer_of(receiver_of(transfer), static_cast<std::uint64_t>(transfer.amount));
  }
  const auto sent = co_await sender_.send(std::move(request));
  if (!sent) throw std::runtime_error(sent.error().message);
}

web::Task<Transfer> Transfers::finish(Transfer transfer, const transactions::Transaction& transaction) {
  const bool is_paid = transaction.state == transactions::State::confirmed;
  const auto step = [&](store::Change& change) -> std::optional<Transfer> {
    auto row = system_.get(transfers_table, transfer.owner, transfer.id);
    if (!row || row->value.pending.empty()) return std::nullopt;
    row->value.status = is_paid ? Status::confirmed : Status::failed;
    row->value.reason = transaction.reason;
    row->value.pending.clear();
    row->value.updated_at = store::now();
    change.update(transfers_table, *row);
    if (!is_paid && !row->value.day.empty()) {
      const auto amount = payments::Usdc::of_micro(transfer.amount);
      rules.uncount(change, transfer.owner, transfer.wallet, row->value.day, amount);
      if (is_cost(transfer)) rules.add_cost(change, transfer.owner, transfer.wallet, row->value.day, -amount);
    }
    return std::move(row->value);
  };
  auto finished = co_await store::transact(system_, step);
  co_return std::move(finished).value_or(transfer);
}

}  // namespace transfers
