// Checks the chain of the audit log against its signed heads. Knows no store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "appliance/identity/audit/chain.h"

namespace audit {

// A signed statement about one entry: of kind "head", that it was the last one at that time; of kind "anchor", that it
// and all before it were removed because of their age.
struct Head {
  std::string id;  // "anchor", or "head" and the entry's id with leading zeros
  std::string kind;
  store::Time at{};
  std::int64_t entry_id = 0;
  std::string entry_hash;
  std::int64_t first = 0;  // the first entry of the chain
  std::string signature;   // Ed25519 in hex, of signed_text()
};
BOOST_DESCRIBE_STRUCT(Head, (), (id, kind, at, entry_id, entry_hash, first, signature))

std::string signed_text(const Head&);

struct ChainProblem {
  std::int64_t entry_id = 0;  // the first bad entry; 0: it is not about one
  std::string what;           // a sentence
};

struct ChainReport {
  std::int64_t entries = 0;      // in the chain
  std::int64_t unprotected = 0;  // older than the chain
  std::int64_t erased = 0;       // in the chain, without their personal data
  std::int64_t not_signed = 0;   // after the last head
  std::optional<Head> last_head;
  std::optional<ChainProblem> problem;  // the first that was found
};

class ChainCheck {
 public:
  struct Given {
    std::optional<ChainPoint> start, end;  // as stored; read before the entries
    std::optional<Head> anchor;
    std::vector<Head> heads;  // ascending by entry
    std::string public_key;   // 32 raw bytes
  };
  explicit ChainCheck(Given);

  // The entries in the order in which they are stored. False: a problem was found, the rest does not matter.
  bool add(const Entry&);
  ChainReport finish();

 private:
  bool fail(std::int64_t entry_id, std::string what);
  bool check_heads();
  bool check_head(const Head&);
  bool check_link(const Entry&);
  bool check_content(const Entry&);
  bool check_against_heads(const Entry&);

  const Given given_;
  ChainReport report_;
  std::size_t next_head_ = 0;
  std::int64_t last_id_ = 0;
  std::optional<std::string> last_hash_;  // of the chain
};

}  // namespace audit
