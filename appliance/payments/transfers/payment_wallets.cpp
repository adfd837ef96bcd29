#include "appliance/payments/transfers/payment_wallets.h"

#include <algorithm>
#include <stdexcept>

#include "appliance/foundation/crypto/random.h"

namespace payment_wallets {

namespace {

const store::CounterName wallet_count{"payment_wallets"};

}  // namespace

std::string wallet_id(const Wallet& wallet) { return std::string(wallet_prefix) + wallet.id; }

std::vector<Wallet> Wallets::list(store::UserId user) const {
  auto found = system_.tenant(user).list(payment_wallets_table, store::Page{.limit = std::size_t(wallets_per_user)});
  std::ranges::stable_sort(found, {}, &Wallet::created_at);
  return found;
}

std::optional<Wallet> Wallets::find(store::UserId user, std::string_view id) const {
  auto row = system_.tenant(user).get(payment_wallets_table, id);
  if (!row) return std::nullopt;
  return std::move(row->value);
}

web::Task<web::Result<Wallet>> Wallets::create(store::UserId user, std::string name) {
  const auto signer = crypto::EthereumSigner::generate();
  Wallet wallet{.owner = user,
                .name = std::move(name),
                .kind = Kind::created,
                .address = signer.address().checksummed(),
                .key = {}};
  co_return co_await insert(std::move(wallet), &signer);
}

web::Task<web::Result<Wallet>> Wallets::enrol(store::UserId user, std::string name, crypto::EthereumAddress address) {
  Wallet wallet{
      .owner = user, .name = std::move(name), .kind = Kind::registered, .address = address.checksummed(), .key = {}};
  co_return co_await insert(std::move(wallet), nullptr);
}

web::Task<web::Result<Wallet>> Wallets::insert(Wallet wallet, const crypto::EthereumSigner* signer) {
  const auto tenant = system_.tenant(wallet.owner);
  wallet.id = "wa_" + crypto::random_id(20);
  wallet.created_at = store::now();
  if (std::ranges::any_of(list(wallet.owner), [&](const Wallet& one) { return one.address == wallet.address; }))
    co_return web::conflict("This wallet is registered already.");
  auto change = tenant.change();
  change.insert(payment_wallets_table, wallet);
  if (signer) wallets::Wallets::add(change, wallet.owner, wallet_id(wallet), *signer);
  change.add(wallet.owner, wallet_count, 1, wallets_per_user);
  const auto outcome = co_await change.commit();
  if (outcome.ok()) co_return wallet;
  if (outcome.kind != store::Outcome::Kind::over_bound) throw std::logic_error("a random wallet id was taken");
  web::Error full{.kind = web::Kind::too_many, .message = "You have reached the limit of payment wallets."};
  full.extra["current"] = tenant.counter(wallet_count);
  full.extra["limit"] = wallets_per_user;
  co_return full;
}

web::Task<> Wallets::adopt_keys() {
  std::vector<Wallet> with_keys;
  system_.each(payment_wallets_table, [&](const Wallet& wallet) {
    if (!wallet.key.clear.empty()) with_keys.push_back(wallet);
    return true;
  });
  for (const auto& wallet : with_keys) {
    auto row = system_.get(payment_wallets_table, wallet.owner, wallet.id);
    const auto signer = crypto::EthereumSigner::from_secret(crypto::unhex(wallet.key.clear));
    if (!row || !signer) continue;
    row->value.key = {};
    auto change = system_.change();
    change.update(payment_wallets_table, *row);
    wallets::Wallets::add(change, wallet.owner, wallet_id(wallet), *signer);
    if (!(co_await change.commit()).ok()) throw std::logic_error("the key of wallet " + wallet.id + " is kept twice");
  }
}

}  // namespace payment_wallets
