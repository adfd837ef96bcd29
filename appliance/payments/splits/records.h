#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "store/table.h"

namespace splits {

BOOST_DEFINE_ENUM_CLASS(Status, queued, processing, settled, failed)

struct Recipient {
  std::string address;      // with its checksum
  double share = 0;         // percent, as requested
  std::int64_t amount = 0;  // Usdc::micro
};
BOOST_DESCRIBE_STRUCT(Recipient, (), (address, share, amount))

// A payment that is divided among recipients.
struct Split {
  std::int64_t owner = 0;
  std::string id;  // its number in 12 digits
  std::int64_t number = 0;
  std::string agent, name;
  std::string from;        // the address that pays, with its checksum
  std::int64_t total = 0;  // Usdc::micro; the sum of the recipients' amounts
  std::vector<Recipient> recipients;
  Status status = Status::queued;
  std::string reason;                     // failed: a sentence
  std::vector<std::string> transactions;  // on a chain: their hashes
  std::string pending;                    // pending_value() until it is settled or failed; then empty
  std::string key;                        // owner and the caller's idempotency key, which counts once; may be empty
  store::Time created_at, updated_at;
};
BOOST_DESCRIBE_STRUCT(Split, (),
                      (owner, id, number, agent, name, from, total, recipients, status, reason, transactions, pending,
                       key, created_at, updated_at))

inline const store::Owned<Split> splits_table{
    {.family = "splits", .number = 109},
    &Split::owner,
    &Split::id,
    {store::index<Split>(1, "pending", &Split::pending), store::unique<Split>(2, "key", &Split::key)}};

// Orders the pending splits by their owners. Earlier versions wrote "yes".
std::string pending_value(const Split&);

}  // namespace splits
