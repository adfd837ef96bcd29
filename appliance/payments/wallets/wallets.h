// The wallets whose keys the box keeps: one of each user, one of each agent, those of the box itself, and the wallet
// that a user has on the test network. A wallet is created once; asking again finds it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "appliance/foundation/crypto/ethereum.h"
#include "appliance/foundation/crypto/ethereum_signer.h"
#include "appliance/payments/ledger/ledger.h"
#include "appliance/payments/wallets/records.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace wallets {

inline constexpr std::string_view user_wallet = "user", testnet_wallet = "testnet";
std::string agent_wallet(std::string_view agent);
crypto::EthereumAddress address_of(const Wallet&);

// Callable from every thread; must not outlive the store.
class Wallets {
 public:
  explicit Wallets(store::System system) : system_(std::move(system)) {}

  std::optional<Wallet> find(store::UserId owner, std::string_view id) const;
  // Whichever wallet of this box has the address.
  std::optional<Wallet> find_address(const crypto::EthereumAddress&) const;
  // The wallet, made now unless it exists: one, however many ask at once.
  web::Task<Wallet> obtain(store::UserId owner, std::string id);
  // The same, but conflict if it exists.
  web::Task<web::Result<Wallet>> create(store::UserId owner, std::string id);
  // Of a private key. The wallet if it exists with this key; conflict if it has another key, or if another wallet of
  // this box has this one.
  web::Task<web::Result<Wallet>> import(store::UserId owner, std::string id, const crypto::EthereumSigner&);

  // The account that stands for a wallet on the box's ledger; none for wallets of the test network.
  static std::optional<ledger::Account> account_of(const Wallet&);

  // Adds a new wallet to a change, for those that bring more with it; its id and its address must be free.
  static Wallet add(store::Change&, store::UserId owner, std::string id, const crypto::EthereumSigner&);

  // For signing alone; nothing if there is no such wallet.
  std::optional<crypto::EthereumSigner> signer(store::UserId owner, std::string_view id) const;

 private:
  web::Task<web::Result<Wallet>> insert(store::UserId owner, std::string id, const crypto::EthereumSigner&);

  store::System system_;
};

}  // namespace wallets
