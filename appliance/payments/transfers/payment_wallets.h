// Wallets for agents' payments: created here, with a key that never leaves the box, or created elsewhere and registered
// by their address.
#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/payments/wallets/wallets.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace payment_wallets {

BOOST_DEFINE_ENUM_CLASS(Kind, created, registered)

struct Wallet {
  std::int64_t owner = 0;
  std::string id;  // wa_ and 20 random characters
  std::string name;
  Kind kind = Kind::created;
  std::string address;  // 0x and 40 hex digits, with its checksum
  store::Sealed key;    // of earlier versions: the private key in hex, which is with the others now (wallets::keys)
  store::Time created_at;
};
BOOST_DESCRIBE_STRUCT(Wallet, (), (owner, id, name, kind, address, key, created_at))

inline const store::Owned<Wallet> payment_wallets_table{
    {.family = "payment_wallets", .number = 35}, &Wallet::owner, &Wallet::id, {}};

inline constexpr std::int64_t wallets_per_user = 20;
// A created wallet is also one of wallets::Wallets, under this prefix and its id.
inline constexpr std::string_view wallet_prefix = "mpp/";
std::string wallet_id(const Wallet&);

// Callable from every thread.
class Wallets {
 public:
  explicit Wallets(store::System system) : system_(std::move(system)) {}

  // Oldest first.
  std::vector<Wallet> list(store::UserId) const;
  std::optional<Wallet> find(store::UserId, std::string_view id) const;
  // too_many, with `current` and `limit`: the user has wallets_per_user.
  web::Task<web::Result<Wallet>> create(store::UserId, std::string name);
  // Also conflict: the user has a wallet with this address.
  web::Task<web::Result<Wallet>> enrol(store::UserId, std::string name, crypto::EthereumAddress);

  // Moves the keys that earlier versions kept in the wallets' own rows. To be called before anything is served.
  web::Task<> adopt_keys();

 private:
  web::Task<web::Result<Wallet>> insert(Wallet, const crypto::EthereumSigner*);

  store::System system_;
};

}  // namespace payment_wallets
