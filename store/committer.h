// The one writer. Callers hand in batches; a thread judges their preconditions in order, appends everything that waits
// to the write-ahead log at once, syncs once, and resumes the callers. While one group syncs the next one gathers.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "store/engine.h"

namespace store {

class Committer {
 public:
  // What the committer needs of the engine below it. Called on the committer's thread only.
  class Log {
   public:
    virtual ~Log() = default;
    virtual std::optional<std::string> read(Family, const std::string& key) const = 0;
    virtual std::int64_t read_counter(Family, const std::string& key) const = 0;
    // All or nothing. Throws Unavailable; after that every commit is refused with the same sentence.
    virtual void append(const std::vector<const Batch*>&, bool sync) = 0;
  };

  struct Figures {
    std::atomic<std::uint64_t> commits{0}, groups{0}, conflicts{0}, queued{0}, last_group{0}, append_microseconds{0};
  };

  explicit Committer(Log&);
  ~Committer();  // commits what was handed in, then ends the thread

  Task<CommitResult> commit(Batch, Durability);
  CommitResult commit_blocking(Batch, Durability);
  const Figures& figures() const { return figures_; }

 private:
  struct Waiting;
  template <class Handler>
  struct WaitingCoroutine;
  struct WaitingThread;
  class Judge;

  void hand_in(std::unique_ptr<Waiting>);
  void run();
  void commit_group(std::vector<std::unique_ptr<Waiting>>&);
  static void resume(std::vector<std::unique_ptr<Waiting>>);

  Log& log_;
  Figures figures_;

  std::mutex mutex_;  // protects queue_ and stopping_
  std::condition_variable arrived_;
  std::vector<std::unique_ptr<Waiting>> queue_;
  bool stopping_ = false;

  std::thread thread_;  // last: runs while everything above lives
};

}  // namespace store
