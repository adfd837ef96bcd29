#include "store/postgres/pool.h"

#include "store/postgres/activity.h"

namespace store::postgres {
namespace {

constexpr std::size_t most_connections = 40;
constexpr std::chrono::milliseconds longest_start{5'000};
constexpr std::chrono::milliseconds read_timeout{900};  // the server ends what no thread waits for any more

}  // namespace

std::unique_ptr<Connection> Pool::open_connection(Clock::time_point deadline) const {
  return std::make_unique<Connection>(server_, read_timeout, deadline);
}

Pool::Lease Pool::take(Clock::time_point deadline) {
  {
    std::unique_lock lock(mutex_);
    const auto is_free = [this] { return is_out_ || taken_ < most_connections; };
    if (!freed_.wait_until(lock, deadline, is_free))
      throw Unavailable("All connections to the store's database are in use.");
    if (is_out_) throw Unavailable(outage_);
    ++taken_;
    ++activity().in_use;
    if (!idle_.empty()) {
      auto connection = std::move(idle_.back());
      idle_.pop_back();
      return {*this, std::move(connection), false};
    }
  }
  try {
    return {*this, open_connection(deadline), true};
  } catch (const Lost& lost) {
    give_back(nullptr);
    throw failed(lost.what());
  } catch (...) {
    give_back(nullptr);
    throw;
  }
}

void Pool::give_back(std::unique_ptr<Connection> connection) {
  {
    const std::lock_guard lock(mutex_);
    --taken_;
    --activity().in_use;
    if (connection && !connection->is_lost() && !is_out_) idle_.push_back(std::move(connection));
  }
  freed_.notify_one();
}

std::vector<Result> Pool::run(std::span<const Call> calls) {
  const auto deadline = Clock::now() + longest_read;
  for (;;) {
    auto lease = take(deadline);
    try {
      return lease->run(calls, deadline);
    } catch (const Lost& lost) {
      losses_.fetch_add(1, std::memory_order_release);
      if (lease.is_new || lost.is_time_out) throw failed(lost.what());
      const std::lock_guard lock(mutex_);
      idle_.clear();  // of the same age
    } catch (const Refused& refused) {
      if (refused.sqlstate == "57014") throw failed("a read took too long");
      throw Unavailable("The store's database refused a read: " + std::string(refused.what()));
    }
  }
}

Result Pool::run_at_start(const Call& call) {
  const auto deadline = Clock::now() + longest_start;
  try {
    return Connection(server_, longest_start, deadline).run(call, deadline);
  } catch (const Lost& lost) {
    throw Unavailable("The store's database does not answer: " + std::string(lost.what()));
  } catch (const Refused& refused) {
    throw Unavailable("The store's database refuses the box: " + std::string(refused.what()));
  }
}

Unavailable Pool::failed(const std::string& why) {
  losses_.fetch_add(1, std::memory_order_release);
  std::vector<std::unique_ptr<Connection>> closed;
  const std::lock_guard lock(mutex_);
  outage_ = "The store's database does not answer: " + why;
  is_out_ = true;
  activity().is_answering = false;
  closed.swap(idle_);
  freed_.notify_all();
  return Unavailable(outage_);
}

std::optional<std::string> Pool::outage() const {
  if (!is_out_) return std::nullopt;
  const std::lock_guard lock(mutex_);
  return is_out_ ? std::optional(outage_) : std::nullopt;
}

void Pool::probe() {
  if (!is_out_) return;
  try {
    auto connection = open_connection(Clock::now() + longest_read);
    losses_.fetch_add(1, std::memory_order_release);  // before it can be used again
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(connection));
    is_out_ = false;
    activity().is_answering = true;
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex_);
    outage_ = "The store's database does not answer: " + std::string(error.what());
  }
}

}  // namespace store::postgres
