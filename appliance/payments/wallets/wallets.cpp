#include "appliance/payments/wallets/wallets.h"

#include "appliance/foundation/crypto/random.h"

namespace wallets {

std::string agent_wallet(std::string_view agent) { return "agent/" + std::string(agent); }

crypto::EthereumAddress address_of(const Wallet& wallet) {
  return crypto::EthereumAddress::parse(wallet.address).value();
}

std::optional<Wallet> Wallets::find(store::UserId owner, std::string_view id) const {
  const auto found = system_.tenant(owner).cached(wallets_table, id);
  if (!found) return std::nullopt;
  return *found;
}

std::optional<Wallet> Wallets::find_address(const crypto::EthereumAddress& address) const {
  auto row = system_.find_unique(wallets_table, "address", address.checksummed());
  if (!row) return std::nullopt;
  return std::move(row->value);
}

web::Task<Wallet> Wallets::obtain(store::UserId owner, std::string id) {
  if (auto found = find(owner, id)) co_return std::move(*found);
  auto created = co_await create(owner, id);
  if (created) co_return std::move(*created);
  co_return find(owner, id).value();  // another request was first
}

web::Task<web::Result<Wallet>> Wallets::create(store::UserId owner, std::string id) {
  const auto signer = crypto::EthereumSigner::generate();
  co_return co_await insert(owner, std::move(id), signer);
}

web::Task<web::Result<Wallet>> Wallets::import(store::UserId owner, std::string id,
                                               const crypto::EthereumSigner& signer) {
  auto inserted = co_await insert(owner, id, signer);
  if (inserted) co_return inserted;
  auto found = find(owner, id);
  if (!found) co_return web::conflict("Another wallet on this box has this key already");
  if (found->address != signer.address().checksummed()) co_return inserted.error();
  co_return std::move(*found);
}

Wallet Wallets::add(store::Change& change, store::UserId owner, std::string id, const crypto::EthereumSigner& signer) {
  Wallet wallet{
      .owner = owner, .id = std::move(id), .address = signer.address().checksummed(), .created_at = store::now()};
  change.insert(wallets_table, wallet);
  change.insert(keys, Key{.owner = owner, .id = wallet.id, .secret = {signer.secret_hex()}});
  return wallet;
}

web::Task<web::Result<Wallet>> Wallets::insert(store::UserId owner, std::string id,
                                               const crypto::EthereumSigner& signer) {
  auto change = system_.change();
  auto wallet = add(change, owner, std::move(id), signer);
  const auto outcome = co_await change.commit();
  if (!outcome.ok()) co_return web::conflict("There is a wallet already");
  co_return wallet;
}

std::optional<ledger::Account> Wallets::account_of(const Wallet& wallet) {
  if (wallet.id == testnet_wallet) return std::nullopt;
  return ledger::Account{wallet.owner, wallet.id};
}

std::optional<crypto::EthereumSigner> Wallets::signer(store::UserId owner, std::string_view id) const {
  const auto row = system_.get(keys, owner, id);
  return row ? crypto::EthereumSigner::from_secret(crypto::unhex(row->value.secret.clear)) : std::nullopt;
}

}  // namespace wallets
