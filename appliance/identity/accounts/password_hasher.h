// Argon2id on threads of its own: few hashes at once, bounded queues, and lower priority than the network threads, but
// higher priority than agents. Sign-in has threads and a queue that registrations cannot take.
#pragma once

#include <atomic>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "web/result.h"
#include "web/task.h"

namespace accounts {

class BreachedPasswords;

class PasswordHasher {
 public:
  // OWASP's floor for Argon2id. Part of every hash, so that raising it later leaves the old hashes valid.
  struct Cost {
    std::uint32_t memory_kib = 19 * 1024;
    std::uint32_t passes = 2;
  };
  // Of calls to `matches`. Calls to `hash` have one thread and as long a queue.
  struct Room {
    unsigned threads = 2;
    std::size_t queue = 128;  // calls waiting for a thread
    // Calls beyond `short_queue` wait only if those before them can be expected to end within this time.
    std::chrono::milliseconds wait{500};
    std::size_t short_queue = 14;
  };

  PasswordHasher();
  PasswordHasher(Cost, Room);

  // Passwords of this list are refused by `hash`; it must outlive this. Before anything is served.
  void refuse(const BreachedPasswords& list) { breached_ = &list; }

  // Both are refused with web::overloaded if the queue is full or too slow.
  // The encoded hash with a fresh salt, for a new password. invalid: the password is a breached one.
  web::Task<web::Result<std::string>> hash(std::string password);
  // Whether the password belongs to the encoded hash. An empty hash never matches, after the same work as a real one:
  // the time does not reveal whether there is an account.
  web::Task<web::Result<bool>> matches(std::string password, std::string encoded);
  // The same as hash, on the calling thread; for the command line.
  std::string hash_blocking(std::string_view password) const;

 private:
  // Threads of one priority with their queue.
  class Lane {
   public:
    Lane(Room, unsigned threads, int niceness);
    ~Lane();  // waits for the hashes in flight

    template <class Work>
    auto run(Work work) -> web::Task<web::Result<std::invoke_result_t<Work>>>;

   private:
    struct Queue {
      std::atomic<std::size_t> inside{0};         // running and waiting together
      std::atomic<std::int64_t> microseconds{0};  // that one call takes, a moving average; 0: not known yet
    };
    bool is_full(std::size_t before) const;

    const Room room_;
    const unsigned threads_;
    const int niceness_;
    // Shared with the callers in the queue: a coroutine may outlive this object.
    std::shared_ptr<Queue> queue_ = std::make_shared<Queue>();
    boost::asio::thread_pool pool_;
  };

  const Cost cost_;
  const BreachedPasswords* breached_ = nullptr;
  const std::string decoy_;  // well-formed, belongs to no password
  Lane verifying_, making_;
};

}  // namespace accounts
