// The box's lease on a store on a server: one box at a time. Each group of commits renews it, and fails if another box
// has taken it (the fence). A box that ended without giving its lease back takes it again at once; others wait for its
// end, ten seconds after the last renewal.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "store/postgres/pool.h"

namespace store::postgres {

class BoxLease {
 public:
  // Throws Unavailable with the other box's machine while that holds the lease.
  BoxLease(Pool&, std::string box);

  const std::string& box() const { return box_; }
  std::int64_t epoch() const { return epoch_; }
  // The last group that was committed before this lease began.
  std::int64_t first_group() const { return first_group_; }

  // Whether it is still this box's. Throws Lost, and Refused.
  bool renew(Connection&, Clock::time_point deadline);
  // Begins a new epoch, so that nothing that was sent before can be committed any more, and returns the number of the
  // last group that was. Nothing if another box has taken the lease. Throws Lost, and Refused.
  std::optional<std::int64_t> begin_epoch(Connection&, Clock::time_point deadline);
  // Lets another box take it at once.
  void give_back(Pool&) noexcept;

  void lose() { is_lost_ = true; }
  bool is_lost() const { return is_lost_; }

 private:
  const std::string box_;
  std::mutex mutex_;  // one change of the row at a time
  std::atomic<std::int64_t> epoch_{0};
  std::int64_t first_group_ = 0;
  std::atomic<bool> is_lost_{false};
};

constexpr auto lease_lost =
    "Another box has taken over the store's database: this one changes nothing any more. Stop it, or restart it once "
    "the other one is stopped.";

}  // namespace store::postgres
