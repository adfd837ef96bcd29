#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/table.h"

namespace transfers {

BOOST_DEFINE_ENUM_CLASS(Token, usdc, native)

BOOST_DEFINE_ENUM_CLASS(Status,
                        waiting,    // for the owner's approval
                        declined,   // by the owner
                        approved,   // counted against the limits, and about to be paid
                        paying,     // on a chain: see the transaction
                        confirmed,  // paid
                        failed)     // not paid

// A payment from a wallet of the box.
struct Transfer {
  std::int64_t owner = 0;
  std::string id;      // tr_ and an ordered id
  std::string wallet;  // wallets::Wallet::id
  std::string key;     // owner, wallet and the caller's idempotency key: counts once
  std::string to;      // with its checksum
  Token token = Token::usdc;
  std::int64_t amount = 0;  // millionths of the token
  std::string memo, network;
  Status status = Status::approved;
  std::string day;      // UTC, 2026-11-24: whose limit it counts against; empty: none
  std::string reason;   // failed: a sentence
  std::string pending;  // the id, until the status is final or while it waits for no approval
  store::Time created_at, updated_at;
};
BOOST_DESCRIBE_STRUCT(Transfer, (),
                      (owner, id, wallet, key, to, token, amount, memo, network, status, day, reason, pending,
                       created_at, updated_at))

inline const store::Owned<Transfer> transfers_table{
    {.family = "transfers", .number = 107},
    &Transfer::owner,
    &Transfer::id,
    {store::unique<Transfer>(1, "key", &Transfer::key), store::index<Transfer>(2, "pending", &Transfer::pending)}};

// What a wallet may pay.
struct Rules {
  std::int64_t owner = 0;
  std::string id;                              // wallets::Wallet::id
  std::optional<std::int64_t> daily;           // Usdc::micro of a UTC day; none: no limit
  std::optional<std::int64_t> approval_above;  // a larger payment waits for the owner; none: no payment does
  std::vector<std::string> receivers;          // the only ones, with checksums; empty: anybody
  store::Time updated_at;
};
BOOST_DESCRIBE_STRUCT(Rules, (), (owner, id, daily, approval_above, receivers, updated_at))

inline const store::Owned<Rules> rules_table{{.family = "spend_rules", .number = 108}, &Rules::owner, &Rules::id, {}};

}  // namespace transfers
