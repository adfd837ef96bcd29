#include "store/committer.h"

#include <pthread.h>

#include <algorithm>
#include <boost/asio/use_awaitable.hpp>
#include <future>
#include <utility>

#include "store/judge.h"

namespace store {
namespace {

using Context = boost::asio::io_context;
using Executor = Context::executor_type;
using namespace std::chrono_literals;

// One group: large enough to share a sync among all callers of a busy box, small enough to answer the first of them
// soon.
constexpr std::size_t group_batches = 1024, group_bytes = 4u << 20;
constexpr auto longest_patience = 1ms;

std::size_t size_of(const Batch& batch) {
  std::size_t bytes = 0;
  for (const auto& write : batch.writes) bytes += write.key.size() + write.value.size();
  return bytes;
}

}  // namespace

template <class Handler>
struct Committer::WaitingCoroutine final : Waiting {
  WaitingCoroutine(Batch b, Durability d, Lsn a, Handler h)
      : Waiting(std::move(b), d, a),
        handler(std::move(h)),
        keep_running(boost::asio::prefer(boost::asio::get_associated_executor(handler),
                                         boost::asio::execution::outstanding_work.tracked)) {}
  void complete() override { std::move(handler)(failure, result); }
  Context* context() const override { return &boost::asio::query(keep_running, boost::asio::execution::context); }

  Handler handler;
  std::decay_t<decltype(boost::asio::prefer(std::declval<Executor>(),
                                            boost::asio::execution::outstanding_work.tracked))>
      keep_running;  // the io_context must not run dry while the log syncs
};

struct Committer::WaitingThread final : Waiting {
  using Waiting::Waiting;
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

Task<CommitResult> Committer::commit(Batch batch, Durability durability, Lsn after) {
  using Token = boost::asio::use_awaitable_t<Executor>;
  co_return co_await boost::asio::async_initiate<const Token, void(std::exception_ptr, CommitResult)>(
      [this](auto handler, Batch given, Durability wanted, Lsn wanted_after) {
        using Caller = WaitingCoroutine<decltype(handler)>;
        hand_in(std::make_unique<Caller>(std::move(given), wanted, wanted_after, std::move(handler)));
      },
      Token(), std::move(batch), durability, after);
}

CommitResult Committer::commit_blocking(Batch batch, Durability durability, Lsn after) {
  auto waiting = std::make_unique<WaitingThread>(std::move(batch), durability, after);
  auto result = waiting->promise.get_future();
  hand_in(std::move(waiting));
  return result.get();
}

void Committer::hand_in(std::unique_ptr<Waiting> waiting) {
  figures_.queued.fetch_add(1, std::memory_order_relaxed);
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(waiting));
    wake = queue_.size() == wake_at_;
  }
  if (wake) arrived_.notify_one();
}

void Committer::run() {
  for (;;) {
    Group group;
    {
      std::unique_lock lock(mutex_);
      wake_at_ = 1;
      arrived_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
      if (queue_.empty()) return;
      gather(lock);
      group = take_group();
    }
    figures_.queued.fetch_sub(group.size(), std::memory_order_relaxed);
    const auto callers = group.size();
    commit_group(group);
    syncer_.hold_back(group);
    resume(std::move(group));
    const std::lock_guard lock(mutex_);
    callers_ = callers + queue_.size();
    last_end_ = Clock::now();
  }
}

// Callers that were resumed a moment ago are about to commit again: without waiting for them, two halves would take
// turns and each wait for the other's sync. Waits for as many as were there before, at most for half of a usual sync.
void Committer::gather(std::unique_lock<std::mutex>& lock) {
  const auto wanted = std::min(callers_, group_batches);
  if (stopping_ || queue_.size() >= wanted) return;
  const auto patience = std::min<Clock::duration>(usual_sync_ / 2, longest_patience);
  wake_at_ = wanted;
  arrived_.wait_until(lock, last_end_ + patience, [&] { return stopping_ || queue_.size() >= wanted; });
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

void Committer::commit_group(Group& group) {
  std::vector<Waiting*> accepted;
  accepted.reserve(group.size());
  auto durability = Durability::relaxed;
  Judge judge(log_);
  for (auto& waiting : group) {
    try {
      waiting->result.failed = judge.judge(waiting->batch);
    } catch (...) {
      waiting->failure = std::current_exception();
      continue;
    }
    if (!waiting->result.ok()) {
      figures_.conflicts.fetch_add(1, std::memory_order_relaxed);
    } else if (!waiting->batch.writes.empty()) {
      accepted.push_back(waiting.get());
      durability = std::min(durability, waiting->durability);
    }
  }
  if (accepted.empty()) return;
  try {
    append(accepted, judge.counted(), durability);
  } catch (...) {  // nobody of this group may believe in a write that is not on disk, or was judged by one
    for (auto& waiting : group) waiting->failure = std::current_exception();
  }
}

void Committer::append(const std::vector<Waiting*>& accepted, const std::vector<Counted>& counted,
                       Durability durability) {
  std::vector<const Batch*> batches;
  batches.reserve(accepted.size());
  for (const auto* waiting : accepted) batches.push_back(&waiting->batch);
  const auto start = Clock::now();
  log_.append(batches, counted, durability == Durability::durable);
  const auto took = Clock::now() - start;
  if (durability == Durability::durable) usual_sync_ += (took - usual_sync_) / 8;
  ++lsn_;
  for (auto* waiting : accepted) waiting->result.lsn = lsn_;
  syncer_.appended(lsn_, durability);
  figures_.append_microseconds.fetch_add(
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(took).count()),
      std::memory_order_relaxed);
  figures_.groups.fetch_add(1, std::memory_order_relaxed);
  figures_.commits.fetch_add(batches.size(), std::memory_order_relaxed);
  figures_.last_group.store(batches.size(), std::memory_order_relaxed);
}

}  // namespace store
