// Sends every write of the store to a bucket (STANDBY_S3_ENDPOINT), in segments of a second or a megabyte, and once a
// day a whole copy of the data folder, from which a restore begins. While the bucket cannot be reached, writes wait in
// memory and in the store's log.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "appliance/box/standby/bucket_format.h"
#include "appliance/box/standby/folders.h"
#include "appliance/foundation/platform.h"
#include "appliance/media/bucket/objects.h"
#include "store/replication.h"
#include "store/store.h"

namespace standby {

struct BucketStatus {
  std::string place;    // "s3://bucket/folder"
  std::string problem;  // of the last attempt; empty: it succeeded
  bool is_behind = false;
  std::chrono::milliseconds lag{0};  // age of the oldest write that is not in the bucket
  store::Position newest = 0, stored = 0;
  std::optional<store::Time> base_at, folders_at;
};

class BucketCopy final : public store::WriteObserver {
 public:
  struct Hooks {
    // With a sentence when the bucket is more than half a minute behind, and when it has caught up. On a thread of
    // this.
    std::function<void(bool is_behind, const std::string& sentence)> alarm;
    // After each whole copy: tries whether the bucket restores. Blocks; on a thread of this.
    std::function<void(BucketCopy&)> prove;
  };

  BucketCopy(const agentbox::Platform&, store::Store&, Hooks);
  // Sends what is missing, for up to five seconds.
  ~BucketCopy() override;
  BucketCopy(const BucketCopy&) = delete;
  BucketCopy& operator=(const BucketCopy&) = delete;

  // Callable from every thread.
  BucketStatus status() const;

  // For Hooks::prove. Returns once the bucket has every write up to the store's newest; false if that takes too long.
  bool wait_until_stored();
  bool ends() const;
  // For requests of that thread.
  bucket::Objects& objects() { return slow_; }

  void written(store::Position first, store::Position last, std::string_view bytes, bool synced) noexcept override;

 private:
  using Clock = std::chrono::steady_clock;

  bool is_past_goodbye() const;
  void send_writes();
  void send_copies();
  bool sleep(std::chrono::milliseconds);
  void begin();
  store::Position position_of_copy(const std::string& generation);
  void begin_generation();
  void send_segments();
  bool gather(std::string& segment, SegmentName&);
  bool gather_from_log(std::string& segment, SegmentName&);
  void note_problem(const std::string&);
  void check_lag();
  void send_base();
  void send_tree();
  void remove_old();
  void read_state();
  void write_known_tree(std::int64_t at) const;
  void remove_scratch() const;

  const agentbox::Platform& platform_;
  store::Store& store_;
  store::Replication& source_;
  const Hooks hooks_;
  const BucketSealer sealer_;
  const store::Position newest_at_start_;
  const std::int64_t started_at_;

  mutable std::mutex mutex_;  // protects what follows
  std::condition_variable changed_;
  std::deque<TimedWrite> recent_;  // without gaps, up to newest_
  std::size_t recent_bytes_ = 0;
  std::deque<std::pair<store::Position, std::int64_t>> marks_;  // when positions were written, one a second
  store::Position newest_ = 0, stored_ = 0;
  std::optional<Clock::time_point> behind_since_;
  std::optional<Clock::time_point> ends_by_;  // set: it is to stop
  std::string generation_;                    // empty: not known yet
  bool needs_generation_ = false;             // the store has another history, or its log no longer has what is missing
  std::string problem_, copy_problem_;
  bool is_behind_ = false;
  std::optional<std::int64_t> base_at_, tree_at_;

  // Of the thread that sends copies.
  std::string copied_generation_;
  Tree known_;

  const bucket::StandbyBucket bucket_;
  bucket::Objects fast_, slow_;  // of the one thread, and of the other
  std::thread writes_, copies_;  // last: use everything above
};

}  // namespace standby
