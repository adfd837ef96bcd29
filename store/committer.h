// The one writer. Callers hand in batches; a thread judges their preconditions in order, appends everything that waits
// to the write-ahead log at once, syncs once, and resumes the callers. While one group syncs the next one gathers. A
// group that nobody wants synced before the answer is left to the log's syncer; a caller that is alone with such a
// batch commits it on its own thread.
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
  // A counter and what it is to hold.
  struct Counted {
    Family family;
    std::string_view key;
    CounterFields figures;
  };

  // What the committer needs of the engine below it. Called by one thread at a time, but for sync().
  class Log {
   public:
    enum class Append {
      synced,
      unsynced,
      at_once  // unsynced, and only if the engine does not hold writes back at the moment
    };
    virtual ~Log() = default;
    virtual std::optional<std::string> read(Family, std::string_view key) const = 0;
    virtual CounterFields read_counter(Family, std::string_view key) const = 0;
    virtual std::uint64_t version(Family, std::string_view key) const = 0;  // as Engine's
    // What the batches put and erase, and the counters that they change with what these then hold: all or
    // nothing. False when nothing was, since it could not be at once. Throws Unavailable; after that every call throws
    // it with the same sentence.
    virtual bool append(const std::vector<const Batch*>&, const std::vector<Counted>&, Append) = 0;
    // Makes what was appended without sync durable. Throws Unavailable. Called on another thread, beside append().
    virtual void sync() = 0;
  };

  struct Activity {
    std::atomic<std::uint64_t> commits{0}, groups{0}, conflicts{0}, queued{0}, last_group{0}, append_microseconds{0};
  };

  // The io_contexts of callers must outlive the committer.
  explicit Committer(Log&);
  ~Committer();  // commits what was handed in, then ends the thread, and syncs

  Task<CommitResult> commit(Batch, Durability);
  CommitResult commit_blocking(Batch, Durability);
  const Activity& activity() const { return activity_; }

 private:
  using Clock = std::chrono::steady_clock;
  template <class Handler>
  struct PendingCoroutine;
  struct PendingThread;

  // Commits on this thread. False when it has to be handed in.
  bool commit_at_once(Submission&);
  void hand_in(std::unique_ptr<PendingCommit>);
  void run();
  void gather(std::unique_lock<std::mutex>&);
  Group take_group();
  // By whoever is_busy_; `unsynced`: how to append a group that nobody wants synced. False when that could not be done
  // at once, and nothing was.
  bool commit_group(std::span<Submission* const>, Log::Append unsynced);
  bool append(const std::vector<Submission*>&, const std::vector<Counted>&, Durability, Log::Append unsynced);

  Log& log_;
  Activity activity_;

  std::mutex mutex_;  // protects what follows
  std::condition_variable arrived_;
  std::deque<std::unique_ptr<PendingCommit>> queue_;
  std::size_t wake_at_ = 1;  // length of the queue at which the thread wants to be woken
  bool is_busy_ = false;     // somebody commits: the thread, or a caller
  std::size_t callers_ = 0;  // how many were seen to commit side by side
  bool stopping_ = false;

  Clock::time_point last_end_{};  // of the thread's last group; of the thread alone

  // Of whoever is busy.
  Clock::duration usual_sync_{};
  bool last_synced_ = false;

  LogSyncer syncer_;
  std::thread thread_;  // last: runs while everything above lives
};

}  // namespace store
