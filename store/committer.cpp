#include "store/committer.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <boost/asio/use_awaitable.hpp>
#include <future>
#include <utility>

#include "store/conflict_checker.h"

namespace store {
namespace {

using Context = boost::asio::io_context;
using Executor = Context::executor_type;
using namespace std::chrono_literals;

// Limits of one group: large enough to share a sync among all callers of a busy box, small enough that the first of
// them does not wait long.
constexpr std::size_t group_batches = 1024, group_bytes = 4u << 20;
constexpr auto longest_gather = 1ms;
constexpr int max_checks = 4;
constexpr auto return_time = 30us;  // for each caller to commit again; measured with 64 on two processors

// A woken thread of this policy does not preempt running threads: while they go on committing, the next group grows. On
// a free processor it runs at once.
void use_batch_scheduling() {
  const sched_param none{};
  sched_setscheduler(0, SCHED_BATCH, &none);  // if refused, groups are smaller
}

std::size_t size_of(const Batch& batch) {
  std::size_t bytes = 0;
  for (const auto& write : batch.writes) bytes += write.key.size() + write.value.size();
  return bytes;
}

}  // namespace

template <class Handler>
struct Committer::PendingCoroutine final : PendingCommit {
  PendingCoroutine(Batch b, Durability d, Handler h)
      : PendingCommit(std::move(b), d),
        handler(std::move(h)),
        keep_running(boost::asio::prefer(boost::asio::get_associated_executor(handler),
                                         boost::asio::execution::outstanding_work.tracked)) {}
  void complete() override { std::move(handler)(failure, result); }
  Context* context() const override { return &boost::asio::query(keep_running, boost::asio::execution::context); }

  Handler handler;
  std::decay_t<decltype(boost::asio::prefer(std::declval<Executor>(),
                                            boost::asio::execution::outstanding_work.tracked))>
      keep_running;  // keeps the io_context running while the log syncs
};

struct Committer::PendingThread final : PendingCommit {
  using PendingCommit::PendingCommit;
  void complete() override {
    if (failure)
      promise.set_exception(failure);
    else
      promise.set_value(result);
  }
  std::promise<CommitResult> promise;
};

Committer::Committer(Log& log) : log_(log), syncer_([&log] { log.sync(); }), thread_([this] { run(); }) {
  pthread_setname_np(thread_.native_handle(), "committer");
}

Committer::~Committer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  arrived_.notify_one();
  thread_.join();
}

Task<CommitResult> Committer::commit(Batch batch, Durability durability) {
  Submission own(std::move(batch), durability);
  if (commit_at_once(own)) {
    if (own.failure) std::rethrow_exception(own.failure);
    co_return own.result;
  }
  using Token = boost::asio::use_awaitable_t<Executor>;
  co_return co_await boost::asio::async_initiate<const Token, void(std::exception_ptr, CommitResult)>(
      [this](auto handler, Batch given, Durability wanted) {
        using Caller = PendingCoroutine<decltype(handler)>;
        enqueue(std::make_unique<Caller>(std::move(given), wanted, std::move(handler)));
      },
      Token(), std::move(own.batch), durability);
}

CommitResult Committer::commit_blocking(Batch batch, Durability durability) {
  auto pending = std::make_unique<PendingThread>(std::move(batch), durability);
  auto result = pending->promise.get_future();
  enqueue(std::move(pending));
  return result.get();
}

// Switching to the thread and back takes longer than such a commit. With several callers, sharing one append saves
// more.
bool Committer::commit_at_once(Submission& submission) {
  if (submission.durability == Durability::durable || syncer_.is_syncing() || !log_.may_use_callers()) return false;
  {
    const std::lock_guard lock(mutex_);
    if (is_busy_ || callers_ > 1 || !queue_.empty()) return false;
    is_busy_ = true;
  }
  Submission* const alone[] = {&submission};
  bool done = true;
  try {
    done = commit_group(alone, Log::Append::at_once);
  } catch (...) {
    submission.failure = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  is_busy_ = false;
  callers_ = 1 + queue_.size();
  if (stopping_ || !queue_.empty()) arrived_.notify_one();
  return done;
}

void Committer::enqueue(std::unique_ptr<PendingCommit> pending) {
  activity_.queued.fetch_add(1, std::memory_order_relaxed);
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(pending));
    wake = queue_.size() == wake_at_;
  }
  if (wake) arrived_.notify_one();
}

void Committer::run() {
  use_batch_scheduling();
  for (;;) {
    Group group;
    {
      std::unique_lock lock(mutex_);
      wake_at_ = 1;
      arrived_.wait(lock, [this] { return !is_busy_ && (stopping_ || !queue_.empty()); });
      if (queue_.empty()) return;
      is_busy_ = true;
      gather(lock);
      group = take_group();
    }
    activity_.queued.fetch_sub(group.size(), std::memory_order_relaxed);
    std::vector<Submission*> submissions;
    submissions.reserve(group.size());
    for (const auto& pending : group) submissions.push_back(pending.get());
    commit_group(submissions, Log::Append::unsynced);
    {
      const std::lock_guard lock(mutex_);
      is_busy_ = false;
      callers_ = submissions.size() + queue_.size();
    }
    resume(std::move(group));
    last_end_ = Clock::now();
  }
}

// Callers that were just resumed after a sync are about to commit again. Where a sync takes longer than their return,
// the thread waits for them: otherwise they would split into two halves that wait for each other's syncs. Waits for as
// many as last time, for at most half of an average sync.
void Committer::gather(std::unique_lock<std::mutex>& lock) {
  const auto wanted = std::min(callers_, group_batches);
  if (stopping_ || !last_synced_ || queue_.size() >= wanted || average_sync_ < wanted * return_time) return;
  const auto longest = std::min<Clock::duration>(average_sync_ / 2, longest_gather);
  wake_at_ = wanted;
  arrived_.wait_until(lock, last_end_ + longest, [&] { return stopping_ || queue_.size() >= wanted; });
}

Group Committer::take_group() {
  Group group;
  std::size_t bytes = 0;
  while (!queue_.empty() && group.size() < group_batches) {
    bytes += size_of(queue_.front()->batch);
    if (!group.empty() && bytes > group_bytes) break;
    group.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  return group;
}

bool Committer::commit_group(std::span<Submission* const> group, Log::Append unsynced) {
  for (int left = max_checks; left > 0; --left) try {
      return try_group(group, unsynced);
    } catch (const Log::OutOfDate&) {
      for (auto* submission : group) submission->result = {}, submission->failure = {};
    } catch (const OutOfScope&) {  // of one of them, which is to fail alone
      for (auto* const& submission : group) {
        submission->result = {}, submission->failure = {};
        commit_group({&submission, 1}, unsynced);
      }
      return true;
    }
  for (auto* submission : group)
    submission->failure = std::make_exception_ptr(Unavailable("The store changes too fast: try again."));
  return true;
}

bool Committer::try_group(std::span<Submission* const> group, Log::Append unsynced) {
  std::vector<Submission*> accepted;
  accepted.reserve(group.size());
  auto durability = Durability::relaxed;
  try {
    log_.begin(group);
  } catch (const Log::OutOfDate&) {
    throw;
  } catch (...) {
    for (auto* submission : group) submission->failure = std::current_exception();
    return true;
  }
  ConflictChecker checker(log_);
  for (auto* submission : group) {
    try {
      submission->result.failed = checker.check(submission->batch);
    } catch (...) {
      submission->failure = std::current_exception();
      continue;
    }
    if (submission->result.ok() && submission->batch.returns_sum)
      submission->result.sum = checker.sum(submission->batch.writes.front());
    if (!submission->result.ok()) {
      activity_.conflicts.fetch_add(1, std::memory_order_relaxed);
    } else if (!submission->batch.writes.empty()) {
      accepted.push_back(submission);
      durability = std::min(durability, submission->durability);
    }
  }
  if (accepted.empty()) {
    log_.abandon();
    return true;
  }
  try {
    return append(accepted, checker.counted(), durability, unsynced);
  } catch (const Log::OutOfDate&) {
    throw;
  } catch (const OutOfScope&) {
    if (group.size() > 1) throw;
    group.front()->failure = std::current_exception();
    return true;
  } catch (...) {  // fails all: even refused batches were checked against writes that are not on disk
    for (auto* submission : group) submission->failure = std::current_exception();
    return true;
  }
}

bool Committer::append(const std::vector<Submission*>& accepted, const std::vector<Counted>& counted,
                       Durability durability, Log::Append unsynced) {
  std::vector<const Batch*> batches;
  batches.reserve(accepted.size());
  for (const auto* submission : accepted) batches.push_back(&submission->batch);
  const bool synced = durability == Durability::durable;
  const auto start = Clock::now();
  if (!log_.append(batches, counted, synced ? Log::Append::synced : unsynced)) return false;
  const auto took = Clock::now() - start;
  last_synced_ = synced;
  if (synced) average_sync_ += (took - average_sync_) / 8;
  syncer_.appended(durability);
  activity_.append_microseconds.fetch_add(
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(took).count()),
      std::memory_order_relaxed);
  activity_.groups.fetch_add(1, std::memory_order_relaxed);
  activity_.commits.fetch_add(batches.size(), std::memory_order_relaxed);
  activity_.last_group.store(batches.size(), std::memory_order_relaxed);
  return true;
}

}  // namespace store
