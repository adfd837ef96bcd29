// Argon2id on threads of its own: few hashes at once, a bounded queue, and lower priority than the network threads.
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

class PasswordHasher {
 public:
  // OWASP's floor for Argon2id. Part of every hash, so that raising it later leaves the old hashes valid.
  struct Cost {
    std::uint32_t memory_kib = 19 * 1024;
    std::uint32_t passes = 2;
  };
  struct Room {
    unsigned threads = 2;
    std::size_t queue = 128;  // calls waiting for a thread
    // Calls beyond `short_queue` wait only if those before them can be expected to end within this time.
    std::chrono::milliseconds wait{500};
    std::size_t short_queue = 14;
  };

  PasswordHasher();
  PasswordHasher(Cost, Room);
  ~PasswordHasher();  // waits for the hashes in flight

  // Both are refused with web::overloaded if the queue is full or too slow.
  // The encoded hash with a fresh salt.
  web::Task<web::Result<std::string>> hash(std::string password);
  // Whether the password belongs to the encoded hash. An empty hash never matches, after the same work as a real one:
  // the time does not reveal whether there is an account.
  web::Task<web::Result<bool>> matches(std::string password, std::string encoded);
  // The same as hash, on the calling thread; for the command line.
  std::string hash_blocking(std::string_view password) const;

 private:
  struct Queue {
    std::atomic<std::size_t> inside{0};         // running and waiting together
    std::atomic<std::int64_t> microseconds{0};  // that one call takes, a moving average; 0: not known yet
  };
  bool is_full(std::size_t before) const;
  template <class Work>
  auto in_queue(Work work) -> web::Task<web::Result<std::invoke_result_t<Work>>>;

  const Cost cost_;
  const Room room_;
  const std::string decoy_;  // well-formed, belongs to no password
  // Shared with the callers in the queue: a coroutine may outlive this object.
  std::shared_ptr<Queue> queue_ = std::make_shared<Queue>();
  boost::asio::thread_pool pool_;
};

}  // namespace accounts
