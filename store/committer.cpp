#include "store/committer.h"

#include <pthread.h>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <map>
#include <unordered_map>

namespace store {

using Context = boost::asio::io_context;
using Executor = Context::executor_type;

// One caller with its batch. Completed exactly once: by a coroutine's handler on its own io_context, or by waking a
// thread.
struct Committer::Waiting {
  Waiting(Batch b, Durability d) : batch(std::move(b)), durability(d) {}
  virtual ~Waiting() = default;
  virtual void complete() = 0;
  virtual std::optional<Executor> executor() const { return {}; }

  Batch batch;
  Durability durability;
  CommitResult result;
  std::exception_ptr failure;
};

template <class Handler>
struct Committer::WaitingCoroutine final : Waiting {
  WaitingCoroutine(Batch b, Durability d, Handler h)
      : Waiting(std::move(b), d),
        handler(std::move(h)),
        keep_running(boost::asio::prefer(boost::asio::get_associated_executor(handler),
                                         boost::asio::execution::outstanding_work.tracked)) {}
  void complete() override { std::move(handler)(failure, result); }
  std::optional<Executor> executor() const override { return boost::asio::get_associated_executor(handler); }

  Handler handler;
  std::decay_t<decltype(boost::asio::prefer(std::declval<Executor>(),
                                            boost::asio::execution::outstanding_work.tracked))>
      keep_running;  // the io_context must not run dry while the log syncs
};

struct Committer::WaitingThread final : Waiting {
  using Waiting::Waiting;
  void complete() override {
    // Notified under the lock: the waiter may destroy this object as soon as it can take the lock.
    const std::lock_guard lock(mutex);
    done = true;
    woken.notify_one();
  }
  void wait() {
    std::unique_lock lock(mutex);
    woken.wait(lock, [this] { return done; });
  }
  std::mutex mutex;
  std::condition_variable woken;
  bool done = false;
};

// Judges the batches of one group one after the other, as if those before were written already.
class Committer::Judge {
 public:
  explicit Judge(const Log& log) : log_(log) {}

  // The first precondition that does not hold; else takes the batch's writes into account for those after it.
  std::optional<std::size_t> judge(const Batch& batch) {
    for (std::size_t index = 0; index < batch.preconditions.size(); ++index)
      if (!holds(batch.preconditions[index], batch)) return index;
    for (const auto& write : batch.writes) {
      switch (write.kind) {
        case Write::Kind::put:
          values_[{write.family, write.key}] = write.value;
          break;
        case Write::Kind::erase:
          values_[{write.family, write.key}] = std::nullopt;
          break;
        case Write::Kind::add:
          counter(write.family, write.key) += write.delta;
          break;
        case Write::Kind::raise: {
          auto& sum = counter(write.family, write.key);
          sum = std::max(sum, write.delta);
          break;
        }
      }
    }
    return {};
  }

 private:
  using Key = std::pair<Family, std::string>;

  bool holds(const Precondition& wanted, const Batch& batch) {
    switch (wanted.kind) {
      case Precondition::Kind::absent:
        return !value(wanted.family, wanted.key);
      case Precondition::Kind::equals:
        return value(wanted.family, wanted.key) == wanted.value;
      case Precondition::Kind::at_most: {
        auto sum = counter(wanted.family, wanted.key);
        for (const auto& write : batch.writes)
          if (write.kind == Write::Kind::add && write.family == wanted.family && write.key == wanted.key)
            sum += write.delta;
        return sum <= wanted.bound;
      }
    }
    return false;
  }

  std::optional<std::string> value(Family family, const std::string& key) const {
    if (const auto found = values_.find({family, key}); found != values_.end()) return found->second;
    return log_.read(family, key);
  }

  std::int64_t& counter(Family family, const std::string& key) {
    const auto [found, fresh] = counters_.try_emplace({family, key}, 0);
    if (fresh) found->second = log_.read_counter(family, key);
    return found->second;
  }

  const Log& log_;
  std::map<Key, std::optional<std::string>> values_;
  std::map<Key, std::int64_t> counters_;
};

Committer::Committer(Log& log) : log_(log), thread_([this] { run(); }) {
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
  using Token = boost::asio::use_awaitable_t<Executor>;
  co_return co_await boost::asio::async_initiate<const Token, void(std::exception_ptr, CommitResult)>(
      [this](auto handler, Batch given, Durability wanted) {
        hand_in(std::make_unique<WaitingCoroutine<decltype(handler)>>(std::move(given), wanted, std::move(handler)));
      },
      Token(), std::move(batch), durability);
}

CommitResult Committer::commit_blocking(Batch batch, Durability durability) {
  auto owned = std::make_unique<WaitingThread>(std::move(batch), durability);
  auto& waiting = *owned;
  // The group owns the object until it is completed; a thread's entry is handed back to its frame, see resume().
  hand_in(std::move(owned));
  waiting.wait();
  const std::unique_ptr<WaitingThread> mine(&waiting);
  if (mine->failure) std::rethrow_exception(mine->failure);
  return mine->result;
}

void Committer::hand_in(std::unique_ptr<Waiting> waiting) {
  figures_.queued.fetch_add(1, std::memory_order_relaxed);
  bool first;
  {
    const std::lock_guard lock(mutex_);
    first = queue_.empty();
    queue_.push_back(std::move(waiting));
  }
  if (first) arrived_.notify_one();
}

void Committer::run() {
  for (;;) {
    std::vector<std::unique_ptr<Waiting>> group;
    {
      std::unique_lock lock(mutex_);
      arrived_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
      if (queue_.empty()) return;
      group.swap(queue_);
    }
    figures_.queued.fetch_sub(group.size(), std::memory_order_relaxed);
    commit_group(group);
    resume(std::move(group));
  }
}

void Committer::commit_group(std::vector<std::unique_ptr<Waiting>>& group) {
  std::vector<const Batch*> accepted;
  accepted.reserve(group.size());
  bool sync = false;
  std::exception_ptr failure;
  try {
    Judge judge(log_);
    for (auto& waiting : group) {
      waiting->result.failed = judge.judge(waiting->batch);
      if (!waiting->result.ok()) {
        figures_.conflicts.fetch_add(1, std::memory_order_relaxed);
      } else if (!waiting->batch.writes.empty()) {
        accepted.push_back(&waiting->batch);
        sync = sync || waiting->durability == Durability::durable;
      }
    }
    if (!accepted.empty()) {
      const auto start = std::chrono::steady_clock::now();
      log_.append(accepted, sync);
      const auto took = std::chrono::steady_clock::now() - start;
      figures_.append_microseconds.fetch_add(
          static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(took).count()),
          std::memory_order_relaxed);
      figures_.groups.fetch_add(1, std::memory_order_relaxed);
      figures_.commits.fetch_add(accepted.size(), std::memory_order_relaxed);
      figures_.last_group.store(accepted.size(), std::memory_order_relaxed);
    }
  } catch (...) {
    failure = std::current_exception();
  }
  if (failure)  // nobody of this group may believe in a write that is not on disk
    for (auto& waiting : group) waiting->failure = failure;
}

// One post for each io_context, however many of its coroutines go on.
void Committer::resume(std::vector<std::unique_ptr<Waiting>> group) {
  std::unordered_map<Context*, std::vector<std::unique_ptr<Waiting>>> by_context;
  for (auto& waiting : group) {
    if (const auto executor = waiting->executor()) {
      by_context[&executor->context()].push_back(std::move(waiting));
    } else {
      waiting.release()->complete();  // commit_blocking owns it from here
    }
  }
  for (auto& [context, waiting] : by_context)
    boost::asio::post(*context, [ready = std::move(waiting)] {
      for (const auto& one : ready) one->complete();
    });
}

}  // namespace store
