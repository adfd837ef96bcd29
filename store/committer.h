// The one writer of an engine with a write-ahead log. Callers hand in batches; a thread checks their preconditions in
// order, appends all that are waiting to the log at once, syncs once, and resumes the callers. While one group syncs
// the next one gathers. A group without a durable batch is left to LogSyncer; a lone caller with such a batch commits
// it on its own thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "store/log_syncer.h"
#include "store/pending_commit.h"

namespace store {

class Committer {
 public:
  // A counter and its new value.
  struct Counted {
    Family family;
    std::string_view key;
    CounterFields fields;
  };

  // What the committer needs of its engine. Called by one thread at a time, except for sync().
  class Log {
   public:
    enum class Append {
      synced,
      unsynced,
      at_once  // unsynced, and only if the engine does not delay writes at the moment
    };
    virtual ~Log() = default;
    // Thrown by begin and append when nothing was written because what was read is out of date: the group is checked
    // again.
    struct OutOfDate {};
    // Before a group is checked: what it is about may be read at once. What else it throws fails the group.
    virtual void begin(std::span<Submission* const>) {}
    // After begin(), in place of append(), if the group writes nothing.
    virtual void abandon() {}
    // Whether a lone caller may commit on its own thread.
    virtual bool may_use_callers() const { return true; }
    virtual std::optional<std::string> read(Family, std::string_view key) const = 0;
    virtual CounterFields read_counter(Family, std::string_view key) const = 0;
    virtual std::uint64_t version(Family, std::string_view key) const = 0;  // as Engine's
    // Precondition::Kind::held.
    virtual bool holds(std::string_view /*lease*/, std::int64_t /*epoch*/) const { return true; }
    // Writes what the batches put and erase, and the new values of the counters they change: all or nothing. False when
    // at_once was not possible and nothing was written. Throws OutOfScope when nothing was written because a batch of
    // the group is refused, and Unavailable; after that every call throws it with the same sentence.
    virtual bool append(const std::vector<const Batch*>&, const std::vector<Counted>&, Append) = 0;
    // Makes what was appended without sync durable. Throws Unavailable. Called on another thread, beside append().
    virtual void sync() = 0;
  };

  struct Activity {
    std::atomic<std::uint64_t> commits{0}, groups{0}, conflicts{0}, queued{0}, last_group{0}, append_microseconds{0};
  };

  // The io_contexts of callers must outlive the committer.
  explicit Committer(Log&);
  ~Committer();  // commits all pending batches, ends the thread, and syncs

  Task<CommitResult> commit(Batch, Durability);
  CommitResult commit_blocking(Batch, Durability);
  const Activity& activity() const { return activity_; }

 private:
  using Clock = std::chrono::steady_clock;
  template <class Handler>
  struct PendingCoroutine;
  struct PendingThread;

  // Commits on this thread. False when the batch must go through the queue.
  bool commit_at_once(Submission&);
  void enqueue(std::unique_ptr<PendingCommit>);
  void run();
  void gather(std::unique_lock<std::mutex>&);
  Group take_group();
  // By the thread that set is_busy_. `unsynced`: how to append a group without a durable batch. False when at_once was
  // not possible and nothing was written.
  bool commit_group(std::span<Submission* const>, Log::Append unsynced);
  bool try_group(std::span<Submission* const>, Log::Append unsynced);
  bool append(const std::vector<Submission*>&, const std::vector<Counted>&, Durability, Log::Append unsynced);

  Log& log_;
  Activity activity_;

  std::mutex mutex_;  // protects what follows
  std::condition_variable arrived_;
  std::deque<std::unique_ptr<PendingCommit>> queue_;
  std::size_t wake_at_ = 1;  // length of the queue at which to wake the thread
  bool is_busy_ = false;     // the thread or a caller is committing
  std::size_t callers_ = 0;  // how many committed side by side last time
  bool stopping_ = false;

  Clock::time_point last_end_{};  // of the thread's last group; used by the thread only

  // Used by the thread that set is_busy_.
  Clock::duration average_sync_{};
  bool last_synced_ = false;

  LogSyncer syncer_;
  std::thread thread_;  // last: runs while everything above lives
};

}  // namespace store
