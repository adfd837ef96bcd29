#include "appliance/payments/splits/settlement.h"

#include "appliance/foundation/chain/amount.h"
#include "appliance/foundation/chain/erc20.h"
#include "appliance/payments/ledger/ledger.h"
#include "appliance/payments/transfers/sender.h"
#include "appliance/payments/wallets/networks.h"
#include "appliance/payments/wallets/wallets.h"

namespace settlement {

namespace {

Progress failed(std::string reason) { return {.state = State::failed, .reason = std::move(reason)}; }

std::optional<ledger::Account> account_at(const wallets::Wallets& wallets, const crypto::EthereumAddress& address) {
  const auto wallet = wallets.find_address(address);
  return wallet ? wallets::Wallets::account_of(*wallet) : std::nullopt;
}

constexpr unsigned usdc_decimals = 6;

std::string reference_of(const Order& order, std::size_t at) { return order.reference + "/" + std::to_string(at); }

// The payer's own share stays where it is.
bool is_paid(const Order& order, const Share& share) { return share.to != order.from; }

Progress progress_of(const std::vector<transactions::Transaction>& all) {
  Progress progress{.state = State::settled};
  std::size_t failed = 0;
  for (const auto& one : all) {
    if (!one.hash.empty()) progress.transactions.push_back(one.hash);
    if (one.state == transactions::State::failed && failed++ == 0) progress.reason = one.reason;
    if (!transactions::is_final(one.state)) progress.state = State::processing;
  }
  if (progress.state != State::settled || failed == 0) return progress;
  progress.state = State::failed;
  progress.reason =
      std::to_string(failed) + " of " + std::to_string(all.size()) + " payments failed: " + progress.reason;
  return progress;
}

}  // namespace

web::Task<web::Result<Progress>> LedgerSettlement::settle(Order order) {
  const auto from = account_at(wallets_, order.from);
  if (!from || from->owner != order.payer_owner)
    co_return failed(order.from.checksummed() + " is not a wallet of the payer on this box");
  std::vector<ledger::Order> transfers;
  for (std::size_t at = 0; at < order.shares.size(); ++at) {
    const auto& share = order.shares[at];
    auto to = account_at(wallets_, share.to);
    if (!to) co_return failed(share.to.checksummed() + " is not a wallet of this box, so its ledger cannot pay it");
    if (*to == *from) continue;  // the payer's own share stays where it is
    transfers.push_back({.reference = order.reference + "/" + std::to_string(at),
                         .from = *from,
                         .to = std::move(*to),
                         .amount = share.amount,
                         .memo = order.memo});
  }
  const auto paid = co_await ledger_.transfer_all(std::move(transfers));
  if (!paid) co_return failed(paid.error().message);
  co_return Progress{.state = State::settled};
}

std::string ChainSettlement::network() const { return networks_.main.caip2(); }

web::Task<web::Result<Progress>> ChainSettlement::settle(Order order) {
  bool is_begun = false;
  for (std::size_t at = 0; at < order.shares.size() && !is_begun; ++at)
    is_begun = sender_.find(reference_of(order, at)).has_value();
  if (!is_begun) {
    auto found = co_await obstacle(order);
    if (!found) co_return found.error();
    if (*found) co_return Progress{.state = State::failed, .reason = std::move(**found)};
  }
  const auto wallet = wallets_.find_address(order.from);
  if (!wallet || !networks_.main.usdc)
    co_return web::unavailable("The wallet of a payment, or the token, is not there any more");
  std::vector<transactions::Request> requests;
  for (std::size_t at = 0; at < order.shares.size(); ++at) {
    const auto& share = order.shares[at];
    if (!is_paid(order, share)) continue;
    requests.push_back({.reference = reference_of(order, at),
                        .owner = wallet->owner,
                        .wallet = wallet->id,
                        .from = order.from,
                        .chain_id = networks_.main.rpc.chain_id(),
                        .to = *networks_.main.usdc,
                        .data = chain::transfer_of(share.to, static_cast<std::uint64_t>(share.amount.micro()))});
  }
  const auto all = co_await sender_.send_all(std::move(requests));
  if (!all) co_return all.error();
  co_return progress_of(*all);
}

web::Task<web::Result<std::optional<std::string>>> ChainSettlement::obstacle(const Order& order) {
  std::optional<std::string> why;
  const auto wallet = wallets_.find_address(order.from);
  if (!wallet || wallet->owner != order.payer_owner || wallet->id == wallets::testnet_wallet) {
    why = order.from.checksummed() + " is not a wallet of the payer on this box";
    co_return why;
  }
  if (!networks_.main.usdc) {
    why = "The contract of USDC on this chain is not known: set USDC_ADDRESS";
    co_return why;
  }
  payments::Usdc total;
  for (const auto& share : order.shares)
    if (is_paid(order, share)) total += share.amount;
  const auto balance = co_await balances_.of(networks_.main, order.from);
  if (!balance) co_return balance.error();
  const auto held = chain::without_point(balance->usdc, usdc_decimals);
  if (!held || !chain::at_least(*held, std::to_string(total.micro())))
    why = "The balance of " + balance->usdc + " USDC is too low for " + total.to_string();
  co_return why;
}

}  // namespace settlement
