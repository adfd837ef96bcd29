// Decides, within one group of batches, which of them may be written.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "store/committer.h"
#include "store/engine.h"

namespace store {

// Checks batches one after the other, each as if those accepted before it were written already. Keeps views of the
// batches, which must outlive the checker and stay in place.
class ConflictChecker {
 public:
  explicit ConflictChecker(const Committer::Log& log) : log_(log) {}

  // The first precondition that does not hold, or nothing: then the batch's writes are applied for those after it.
  // Throws Corrupt when what a precondition is about cannot be read; the batch is not applied then.
  std::optional<std::size_t> check(const Batch&);
  // The counters of the accepted batches with their new values, in no order.
  std::vector<Committer::Counted> counted() const;
  // The first field of the counter that an accepted batch's write changes, after the batches so far.
  std::int64_t sum(const Write& write) const { return counters_.at({write.family, write.key})[0]; }

 private:
  // Hashed once: a counter is looked up several times.
  struct Key {
    Key(Family where, std::string_view what)
        : family(where), bytes(what), hash(std::hash<std::string_view>()(what) ^ where * 0x9e3779b97f4a7c15u) {}
    bool operator==(const Key& other) const { return family == other.family && bytes == other.bytes; }

    Family family;
    std::string_view bytes;
    std::size_t hash;
  };
  struct KeyHash {
    using is_avalanching = void;
    std::size_t operator()(const Key& key) const { return key.hash; }
  };

  bool holds(const Precondition&, const Batch&) const;
  void read_counters(const Batch&, const std::vector<Key>& keys);
  bool is_absent(const Key&) const;
  bool is_as_read(const Key&, const Precondition&) const;

  const Committer::Log& log_;
  boost::unordered_flat_map<Key, const Write*, KeyHash> values_;     // the last put or erase of a key
  boost::unordered_flat_map<Key, CounterFields, KeyHash> counters_;  // with what was added so far
};

}  // namespace store
