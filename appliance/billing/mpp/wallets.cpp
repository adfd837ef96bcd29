#include "appliance/billing/mpp/wallets.h"

#include <algorithm>

#include "appliance/foundation/crypto/random.h"

namespace mpp {

namespace {

const store::CounterName count{"payment_wallets"};

}  // namespace

std::vector<Wallet> Wallets::list(store::UserId user) const {
  auto found = system_.tenant(user).list(wallets, store::Page{.limit = std::size_t(wallets_per_user)});
  std::ranges::stable_sort(found, {}, &Wallet::created_at);
  return found;
}

std::optional<Wallet> Wallets::find(store::UserId user, std::string_view id) const {
  auto row = system_.tenant(user).get(wallets, id);
  if (!row) return std::nullopt;
  return std::move(row->value);
}

web::Task<web::Result<Wallet>> Wallets::create(store::UserId user, std::string name) {
  const auto key = crypto::new_ethereum_key();
  Wallet wallet{.owner = user,
                .name = std::move(name),
                .kind = Kind::created,
                .address = key.address.checksummed(),
                .key = {crypto::hex(key.secret)}};
  return insert(std::move(wallet));
}

web::Task<web::Result<Wallet>> Wallets::enrol(store::UserId user, std::string name, crypto::EthereumAddress address) {
  Wallet wallet{
      .owner = user, .name = std::move(name), .kind = Kind::registered, .address = address.checksummed(), .key = {}};
  return insert(std::move(wallet));
}

web::Task<web::Result<Wallet>> Wallets::insert(Wallet wallet) {
  const auto tenant = system_.tenant(wallet.owner);
  wallet.id = "wa_" + crypto::random_id(20);
  wallet.created_at = store::now();
  if (std::ranges::any_of(list(wallet.owner), [&](const Wallet& one) { return one.address == wallet.address; }))
    co_return web::conflict("This wallet is registered already.");
  auto change = tenant.change();
  change.insert(wallets, wallet);
  change.add(wallet.owner, count, 1, wallets_per_user);
  const auto outcome = co_await change.commit();
  if (outcome.ok()) co_return wallet;
  if (outcome.kind != store::Outcome::Kind::over_bound) throw std::logic_error("a random wallet id was taken");
  web::Error full{.kind = web::Kind::too_many, .message = "You have reached the limit of payment wallets."};
  full.extra["current"] = tenant.counter(count);
  full.extra["limit"] = wallets_per_user;
  co_return full;
}

}  // namespace mpp
