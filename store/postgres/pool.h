// Connections for reads, shared by all threads, and the breaker: once the server has not answered, every call fails at
// once until a probe gets an answer, so that an outage holds each thread for a second at most.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/engine.h"
#include "store/postgres/connection.h"

namespace store::postgres {

class Pool {
 public:
  explicit Pool(Server server) : server_(std::move(server)) {}

  // A connection that is used by one thread; given back when this is destroyed, unless it was lost.
  class Lease {
   public:
    Lease(Pool& pool, std::unique_ptr<Connection> connection, bool was_opened)
        : is_new(was_opened), pool_(&pool), connection_(std::move(connection)) {}
    Lease(Lease&& other) noexcept
        : is_new(other.is_new), pool_(std::exchange(other.pool_, nullptr)), connection_(std::move(other.connection_)) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (pool_) pool_->give_back(std::move(connection_));
    }
    Connection& operator*() const { return *connection_; }
    Connection* operator->() const { return connection_.get(); }
    // Closes the connection instead of giving it back.
    void discard() { connection_.reset(); }
    const bool is_new;

   private:
    Pool* pool_;  // null: moved from
    std::unique_ptr<Connection> connection_;
  };

  // Throws Unavailable when none is free before the deadline, or the server does not answer.
  Lease take(Clock::time_point deadline);
  // Reads in one round trip. Repeated once when a connection turns out to have ended while it was not in use. Throws
  // Unavailable.
  std::vector<Result> run(std::span<const Call>);
  Result run(const Call& call) { return std::move(run({&call, 1}).front()); }
  // While the store is opened, on a connection of its own: no thread waits for it, and the server gets five seconds.
  // Throws Unavailable.
  Result run_at_start(const Call&);

  // Opens the breaker, and returns what to throw. Connections not in use are closed.
  Unavailable failed(const std::string& why);
  // The sentence while the breaker is open.
  std::optional<std::string> outage() const;
  // While the breaker is open: asks the server once, and closes the breaker if it answers. Blocks for a second at most.
  void probe();
  // Grows whenever connections were lost: what is known of the server's records may be out of date.
  std::uint64_t losses() const { return losses_.load(std::memory_order_acquire); }

  const Server& server() const { return server_; }

 private:
  friend class Lease;
  std::unique_ptr<Connection> open_connection(Clock::time_point deadline) const;
  void give_back(std::unique_ptr<Connection>);

  const Server server_;
  std::atomic<std::uint64_t> losses_{0};
  std::atomic<bool> is_out_{false};

  mutable std::mutex mutex_;  // protects what follows
  std::condition_variable freed_;
  std::vector<std::unique_ptr<Connection>> idle_;
  std::size_t taken_ = 0;
  std::string outage_;
};

// The longest that a read may hold its thread.
constexpr std::chrono::milliseconds longest_read{1'000};

}  // namespace store::postgres
