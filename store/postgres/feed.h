// What other boxes have committed to a store that several share, and the sign of life of this one.
//
// Each group of a box's commits writes a row into _changes: the box's epoch, a number without gaps, how many records
// the box has written so far, and the parts of families that changed. Every 50 ms a box reads the rows that it has not
// seen and raises the versions of these parts. Versions count only while the last look is recent; otherwise each one is
// new, which turns the caches off.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/engine.h"
#include "store/postgres/lease.h"
#include "store/postgres/pool.h"
#include "store/versions.h"

namespace store::postgres {

// The column `parts` of _changes: for each family the length of its name, the name, how many parts (four bytes), and
// each with its length; the first eight bytes of a key, or fewer. Nothing: too many, which stands for everything.
std::optional<std::string> encode_parts(const std::vector<const Batch*>&, const std::vector<FamilySpec>&);

// Callable from every thread.
class Feed {
 public:
  // Begins with what is there: nothing was read from the store before. Throws Unavailable.
  Feed(Pool&, BoxLease&, Versions&, const std::vector<FamilySpec>&);

  // Reads what is new. Throws Unavailable.
  void look();
  // For the thread that calls it every 50 ms: looks, renews the lease when that is due or another box waits for it,
  // evicts boxes whose lease has run out, and erases old changes. Loses the lease if this box was evicted. Throws
  // Unavailable.
  void keep();

  // As Engine's.
  std::uint64_t version(Family family, std::string_view key) const {
    return Clock::now().time_since_epoch().count() < fresh_until_.load(std::memory_order_acquire)
               ? versions_.of(family, key)
               : stale_mark + stale_reads_.fetch_add(1, std::memory_order_relaxed);
  }
  // How many records other boxes have written, as far as it was seen.
  std::uint64_t records() const { return records_; }

 private:
  struct Seen {
    std::int64_t number = 0, total = 0;
  };
  // All of these with mutex_. Throw Unavailable.
  std::vector<Result> run(std::span<const Call>);
  Result run(const Call& call) { return std::move(run({&call, 1}).front()); }
  bool look_once();  // false when there is more
  void begin_anew();
  void apply(std::string_view parts);
  void evict(Clock::duration alive);
  void look_now();

  static constexpr std::uint64_t stale_mark = std::uint64_t{1} << 63;

  Pool& pool_;
  BoxLease& lease_;
  Versions& versions_;
  std::map<std::string, Family, std::less<>> families_;
  std::atomic<Clock::rep> fresh_until_{0};
  mutable std::atomic<std::uint64_t> stale_reads_{0};
  std::atomic<std::uint64_t> records_{0};

  std::mutex mutex_;                        // protects what follows
  std::unique_ptr<Connection> connection_;  // of its own: no crowd of reads may cost the box its lease
  std::map<std::int64_t, Seen> seen_;
  std::uint64_t losses_ = 0;
  Clock::time_point last_look_{};
  std::int64_t awaited_ = 0;  // the newest of _boxes.awaits of other boxes that was there at the last look
  std::int64_t confirmed_ = 0;
  Clock::time_point renewal_due_{}, eviction_due_{}, renewed_{}, alive_since_{};
};

}  // namespace store::postgres
