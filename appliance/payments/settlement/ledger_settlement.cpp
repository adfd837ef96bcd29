#include "appliance/payments/settlement/ledger_settlement.h"

namespace settlement {

namespace {

Progress failed(std::string reason) { return {.state = State::failed, .reason = std::move(reason)}; }

std::optional<ledger::Account> account_at(const wallets::Wallets& wallets, const crypto::EthereumAddress& address) {
  const auto wallet = wallets.find_address(address);
  return wallet ? wallets::Wallets::account_of(*wallet) : std::nullopt;
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

}  // namespace settlement
