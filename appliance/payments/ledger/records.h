// What the internal ledger keeps: transfers by their reference, and the two entries of each. A balance is a counter,
// changed in the same commit.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>

#include "appliance/payments/usdc.h"
#include "store/table.h"

namespace ledger {

// Never deleted: a reference must not move money twice.
struct Transfer {
  std::string reference;
  std::int64_t from_owner = 0;
  std::string from;  // Account::name
  std::int64_t to_owner = 0;
  std::string to;
  std::int64_t amount = 0;  // Usdc::micro
  std::string memo;
  store::Time at;
};
BOOST_DESCRIBE_STRUCT(Transfer, (), (reference, from_owner, from, to_owner, to, amount, memo, at))

inline const store::Global<Transfer> transfers{{.family = "ledger_transfers", .number = 101}, &Transfer::reference, {}};

// One side of a transfer, as its account's owner sees it.
struct Entry {
  std::int64_t owner = 0;
  std::string id;           // Account::name, '/', an ordered id
  std::int64_t amount = 0;  // Usdc::micro; negative: paid
  std::int64_t other_owner = 0;
  std::string other;  // the other account's name
  std::string reference, memo;
  store::Time at;
};
BOOST_DESCRIBE_STRUCT(Entry, (), (owner, id, amount, other_owner, other, reference, memo, at))

inline const store::Owned<Entry> entries{
    {.family = "ledger_entries", .number = 102, .access = store::Access::by_history}, &Entry::owner, &Entry::id, {}};

}  // namespace ledger
