// Signs the end of the audit log's chain, removes old entries in a way that can be proved, and verifies the chain.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "appliance/foundation/crypto/ed25519.h"
#include "appliance/identity/audit/chain_check.h"
#include "store/store.h"
#include "web/task.h"

namespace audit {

inline const store::Global<Head, std::string> heads{{.family = "audit_heads", .number = 21}, &Head::id, {}};

inline constexpr std::chrono::hours head_interval{1};

// A part of the log with everything that proves it.
struct ExportPart {
  std::string public_key;  // in hex
  std::optional<ChainPoint> start;
  std::optional<Head> anchor;
  std::vector<Entry> entries;  // ascending
  std::vector<Head> heads;     // about these entries
  std::optional<std::int64_t> next;
};

// Callable from every thread; must not outlive the store.
class SignedHeads {
 public:
  // `seed`: 32 secret bytes. Entries are kept for `keep`.
  SignedHeads(store::System system, std::string_view seed, std::chrono::days keep)
      : system_(std::move(system)), key_(seed), keep_(keep) {}

  // Signs the last entry, unless it is signed. On disk when it returns, with all entries before it.
  web::Task<> sign();
  // Removes the oldest entries, as long as they are older than `keep`, and the heads about them. A signed anchor takes
  // the place of those that were part of the chain.
  web::Task<> sweep(store::Time now);
  // Reads the whole log: blocks.
  ChainReport verify() const;
  // At most `limit` entries after `after`. Blocks.
  ExportPart export_part(std::int64_t after, std::size_t limit) const;

 private:
  Head statement(std::string id, std::string kind, std::int64_t entry_id, std::string entry_hash) const;
  ChainCheck::Given read_given() const;
  std::vector<Head> all_heads() const;  // ascending by entry, without the anchor

  store::System system_;
  const crypto::SigningKey key_;
  const std::chrono::days keep_;
};

}  // namespace audit
