#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>

#include "store/table.h"

namespace wallets {

// A wallet of a user, of an agent, or of the box itself (owner 0).
struct Wallet {
  std::int64_t owner = 0;
  std::string id;       // user, testnet, agent/<id>; the box's: escrow, gateway
  std::string address;  // with its checksum
  store::Time created_at;
};
BOOST_DESCRIBE_STRUCT(Wallet, (), (owner, id, address, created_at))

inline const store::Owned<Wallet> wallets_table{{.family = "wallets", .number = 100},
                                                &Wallet::owner,
                                                &Wallet::id,
                                                {store::unique<Wallet>(1, "address", &Wallet::address)}};

// The private key of a wallet, apart from it, so that it is decrypted for signing alone.
struct Key {
  std::int64_t owner = 0;
  std::string id;        // of the wallet
  store::Sealed secret;  // 32 bytes in hex
};
BOOST_DESCRIBE_STRUCT(Key, (), (owner, id, secret))

inline const store::Owned<Key> keys{{.family = "wallet_keys", .number = 103}, &Key::owner, &Key::id, {}};

}  // namespace wallets
