// The one writer. Callers hand in batches; a thread judges their preconditions in order, appends everything that waits
// to the write-ahead log at once, syncs once, and resumes the callers. While one group syncs the next one gathers. A
// group that nobody wants synced before the answer is left to the log's syncer.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "store/log_syncer.h"
#include "store/waiting.h"

namespace store {

class Committer {
 public:
  // A counter and what it is to hold.
  struct Counted {
    Family family;
    std::string_view key;
    Figures figures;
  };

  // What the committer needs of the engine below it. Called on the committer's thread only, but for sync().
  class Log {
   public:
    virtual ~Log() = default;
    virtual std::optional<std::string> read(Family, std::string_view key) const = 0;
    virtual Figures read_counter(Family, std::string_view key) const = 0;
    // What the batches put and erase, and the counters that they change with what these then hold, by key: all or
    // nothing. Throws Unavailable; after that every call throws it with the same sentence.
    virtual void append(const std::vector<const Batch*>&, const std::vector<Counted>&, bool sync) = 0;
    // Makes what was appended without sync durable. Throws Unavailable. Called on another thread, beside append().
    virtual void sync() = 0;
  };

  struct Figures {
    std::atomic<std::uint64_t> commits{0}, groups{0}, conflicts{0}, queued{0}, last_group{0}, append_microseconds{0};
  };

  // The io_contexts of callers must outlive the committer.
  explicit Committer(Log&);
  ~Committer();  // commits what was handed in, then ends the thread, and syncs

  Task<CommitResult> commit(Batch, Durability, Lsn after);
  CommitResult commit_blocking(Batch, Durability, Lsn after);
  const Figures& figures() const { return figures_; }

 private:
  using Clock = std::chrono::steady_clock;
  template <class Handler>
  struct WaitingCoroutine;
  struct WaitingThread;

  void hand_in(std::unique_ptr<Waiting>);
  void run();
  void gather(std::unique_lock<std::mutex>&);
  Group take_group();
  void commit_group(Group&);
  void append(const std::vector<Waiting*>&, const std::vector<Counted>&, Durability);

  Log& log_;
  Figures figures_;

  std::mutex mutex_;  // protects queue_, wake_at_ and stopping_
  std::condition_variable arrived_;
  std::deque<std::unique_ptr<Waiting>> queue_;
  std::size_t wake_at_ = 1;  // length of the queue at which the thread wants to be woken
  bool stopping_ = false;

  // Of the thread alone.
  Lsn lsn_ = 0;                   // of the last append
  Clock::time_point last_end_{};  // of the last group
  std::size_t callers_ = 0;       // how many were seen to commit side by side
  Clock::duration usual_sync_{};

  LogSyncer syncer_;
  std::thread thread_;  // last: runs while everything above lives
};

}  // namespace store
