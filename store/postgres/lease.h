// The box's lease on a store on a server. Each group of commits checks it in its own transaction, and fails if another
// box has taken it (the fence).
//
// Alone: the row `box` of _lease, which each group renews. A box that ended without giving its lease back takes it
// again at once; others wait for its end, ten seconds after the last renewal.
// Shared: a row of _boxes for each box, which the box renews by itself (feed.h). The row's term is the connection that
// may commit: a new one shuts out what was sent by the one before.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/engine.h"
#include "store/postgres/pool.h"

namespace store::postgres {

class BoxLease {
 public:
  // Throws Unavailable with the other box's machine while that holds the lease, and when `sharing` is not possible.
  BoxLease(Pool&, std::string box, const std::optional<Sharing>& sharing = {});

  const std::string& box() const { return box_; }
  bool is_shared() const { return length_.count() != 0; }
  std::chrono::milliseconds length() const { return length_; }
  std::int64_t epoch() const { return epoch_; }
  std::int64_t term() const { return term_; }
  // The last group that was committed before this lease began.
  std::int64_t first_group() const { return first_group_; }
  // Shared: when it ends, counted from before the last renewal was sent.
  Clock::time_point holds_until() const { return Clock::time_point(Clock::duration(holds_until_)); }

  // Whether it is still this box's. Throws Lost, and Refused.
  bool renew(Connection&, Clock::time_point deadline);
  // Shared: the same; and says that this box has seen all that was changed before other boxes waited for `seen`
  // (_boxes.awaits). Throws what `run` throws.
  using Run = std::function<std::vector<Result>(std::span<const Call>)>;
  bool renew(const Run& run, std::int64_t seen);
  // Begins a new epoch, or shared a new term, so that nothing that was sent before can be committed any more, and
  // returns the number of the last group that was. Nothing if another box has taken the lease. Throws Lost, and
  // Refused.
  std::optional<std::int64_t> begin_epoch(Connection&, Clock::time_point deadline);
  // Lets another box take it at once.
  void give_back(Pool&) noexcept;

  void lose() { is_lost_ = true; }
  bool is_lost() const { return is_lost_; }
  const char* loss() const;

 private:
  void take(Pool&);
  void join(Pool&, const Sharing&);

  const std::string box_;
  const std::chrono::milliseconds length_;  // 0: alone
  std::mutex mutex_;                        // one change of the row at a time
  std::atomic<std::int64_t> epoch_{0}, term_{0};
  std::atomic<Clock::rep> holds_until_{0};
  std::int64_t first_group_ = 0;
  std::atomic<bool> is_lost_{false};
};

constexpr auto lease_ended =
    "The box's lease on the store's database has run out: it changes nothing until it has renewed it.";

}  // namespace store::postgres
