// Fixed windows by client, in memory, sharded, bounded in size.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "web/routes/route.h"

namespace web {

// The state of a window after one hit.
struct WindowState {
  bool allowed = true;
  unsigned limit = 0, remaining = 0;
  std::chrono::seconds reset{0};  // until the window ends, rounded up
};

class RateWindows {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;
  // Remembers `capacity` clients. Beyond that it drops expired windows first, then those with the fewest hits. A client
  // that has exhausted its limit is never dropped; new clients share one window instead.
  explicit RateWindows(RateLimit, std::size_t capacity = 65'536, Clock = std::chrono::steady_clock::now);

  // Counts one request of `client`. Callable from every thread.
  WindowState hit(std::string_view client);
  const RateLimit& limit() const { return limit_; }

 private:
  struct Window {
    std::chrono::steady_clock::time_point end;
    unsigned count = 0;
  };
  struct Shard {
    std::mutex mutex;  // protects windows
    std::unordered_map<std::string, Window> windows;
  };
  Window& window_of(Shard&, std::string client, std::chrono::steady_clock::time_point now);

  static constexpr std::size_t shard_count = 16;
  const RateLimit limit_;
  const std::size_t shard_capacity_;
  const Clock clock_;
  std::array<Shard, shard_count> shards_;
};

// The key of a client: its IPv4 address, or the /64 network of its IPv6 address, which belongs to one customer.
std::string rate_key(std::string_view client_address);

}  // namespace web
