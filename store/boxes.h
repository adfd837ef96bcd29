// Several boxes that share one store: which of them live, what dead ones left behind, leases that one box holds at a
// time, and changes that all of them have seen. Time is the database's.
//
// A box that joins gets a new epoch, larger than every one before it. It renews its lease; while the lease has run out
// its commits are refused, until it has renewed it. Another box may evict it by then: that is final, the evicted box
// commits nothing any more. So what belongs to a dead epoch does not change any more.
//
// This class is what a store that serves one box does: it is never evicted, and holds every lease.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/engine.h"

namespace store {

struct Box {
  std::int64_t epoch = 0;
  std::string host;     // for people: the machine and its process
  std::string address;  // Sharing::address
  std::string version;
  bool is_live = false;  // its lease has not run out
};

// A named lease. The epoch grows each time that another box takes it.
struct NamedLease {
  std::string name;
  std::int64_t epoch = 0;
};

// Callable from every thread. Everything but epoch() and holds_until() blocks for a round trip to the database, and
// throws Unavailable while it does not answer or once this box was evicted.
class Boxes {
 public:
  using Clock = std::chrono::steady_clock;
  virtual ~Boxes() = default;

  virtual std::int64_t epoch() const { return 0; }
  // When the lease of this box ends, if it cannot be renewed. Effects outside of the store must be over by then.
  virtual Clock::time_point holds_until() const { return Clock::time_point::max(); }
  // Those that were not evicted, this one included.
  virtual std::vector<Box> list() const { return {}; }

  // The dead boxes whose work this one has to recover: those that it evicted, and those that were left by a box that it
  // evicted. Only one live box has an epoch in this list.
  virtual std::vector<Box> dead() const { return {}; }
  // Takes the epoch off the list, permanently. Call it once what it left is recovered; that may be done again after a
  // crash.
  virtual void recovered(std::int64_t /*epoch*/) {}

  // The lease, if this box holds it, or takes it now because it is free or its holder was evicted; nothing while
  // another box holds it. Change::require keeps a commit from happening once it is another box's.
  virtual std::optional<NamedLease> take(const std::string& name) { return NamedLease{name, 0}; }
  virtual void give_back(const NamedLease&) {}

  // Returns once no live box reads anything older, from its caches either, than what was committed before the call.
  // Takes as long as a lease at most, typically 60 ms. Throws Unavailable if that is not certain.
  virtual Task<> reach_everywhere() { co_return; }
  virtual void reach_everywhere_blocking() {}
};

}  // namespace store
