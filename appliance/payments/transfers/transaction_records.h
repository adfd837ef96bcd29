// Transactions that wallets of the box send to a chain.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/table.h"

namespace transactions {

// Each is stored before the step that it allows.
BOOST_DEFINE_ENUM_CLASS(State,
                        queued,     // waits for the transactions of the wallet before it
                        signed_,    // has a nonce permanently, and may be sent
                        sent,       // a node has it
                        replaced,   // was sent again with a higher fee
                        confirmed,  // took effect, in a block with enough others behind it
                        failed)     // took no effect, and never will
// "signed" and so on.
std::string_view name_of(State);
inline bool is_final(State state) { return state == State::confirmed || state == State::failed; }

// One signed form of a transaction. All forms have its nonce, so that one of them at most takes effect.
struct Attempt {
  std::string hash, bytes;                         // 0x and hex
  std::int64_t max_fee = 0, max_priority_fee = 0;  // wei for a unit of gas
  store::Time at;
};
BOOST_DESCRIBE_STRUCT(Attempt, (), (hash, bytes, max_fee, max_priority_fee, at))

struct Transaction {
  std::string reference;
  std::int64_t owner = 0;
  std::string wallet;  // its id
  std::string from;    // its address, with its checksum
  std::int64_t chain_id = 0;
  std::string to;           // with its checksum
  std::string value, data;  // 0x and hex; value is big-endian, in wei
  State state = State::queued;
  std::optional<std::int64_t> nonce;
  std::int64_t gas = 0;
  std::vector<Attempt> attempts;  // the last is the newest
  std::string hash;               // the attempt that is in a block; empty: none is
  std::optional<std::int64_t> block;
  std::optional<std::int64_t> overtaken_at;  // the block by which another transaction had used the nonce
  std::string reason;                        // failed, or why it waits: a sentence
  std::string pending;                       // chain id, '/', an ordered id; empty once the state is final
  store::Time created_at, updated_at;
};
BOOST_DESCRIBE_STRUCT(Transaction, (),
                      (reference, owner, wallet, from, chain_id, to, value, data, state, nonce, gas, attempts, hash,
                       block, overtaken_at, reason, pending, created_at, updated_at))

inline const store::Global<Transaction> transactions_table{
    {.family = "transactions", .number = 105},
    &Transaction::reference,
    {store::index<Transaction>(1, "pending", &Transaction::pending)}};

// The next nonce of an account, as the box knows it: a node may be behind.
struct NextNonce {
  std::string id;  // chain id, '/', address in lower case
  std::int64_t next = 0;
};
BOOST_DESCRIBE_STRUCT(NextNonce, (), (id, next))

inline const store::Global<NextNonce> next_nonces{{.family = "next_nonces", .number = 106}, &NextNonce::id, {}};

}  // namespace transactions
