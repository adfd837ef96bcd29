// Wallets for agents' payments: created here, with a key that never leaves the box, or created elsewhere and registered
// by their address.
#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/foundation/crypto/ethereum.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace mpp {

BOOST_DEFINE_ENUM_CLASS(Kind, created, registered)

struct Wallet {
  std::int64_t owner = 0;
  std::string id;  // wa_ and 20 random characters
  std::string name;
  Kind kind = Kind::created;
  std::string address;  // 0x and 40 hex digits, with its checksum
  store::Sealed key;    // created: the private key in hex; registered: empty
  store::Time created_at;
};
BOOST_DESCRIBE_STRUCT(Wallet, (), (owner, id, name, kind, address, key, created_at))

inline const store::Owned<Wallet> wallets{{.family = "payment_wallets", .number = 35}, &Wallet::owner, &Wallet::id, {}};

inline constexpr std::int64_t wallets_per_user = 20;

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

 private:
  web::Task<web::Result<Wallet>> insert(Wallet);

  store::System system_;
};

}  // namespace mpp
