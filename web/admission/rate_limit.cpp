#include "web/admission/rate_limit.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>

namespace web {

RateWindows::RateWindows(RateLimit limit, std::size_t capacity, Clock clock)
    : limit_(std::move(limit)),
      shard_capacity_(std::max<std::size_t>(capacity / shard_count, 1)),
      clock_(std::move(clock)) {}

RateWindows::Window& RateWindows::window_of(Shard& shard, std::string client,
                                            std::chrono::steady_clock::time_point now) {
  auto& windows = shard.windows;
  if (const auto found = windows.find(client); found != windows.end()) return found->second;
  if (windows.size() >= shard_capacity_) {
    std::erase_if(windows, [&](const auto& entry) { return entry.second.end <= now; });
    if (windows.size() >= shard_capacity_) {
      const auto lightest = std::min_element(
          windows.begin(), windows.end(), [](const auto& a, const auto& b) { return a.second.count < b.second.count; });
      if (lightest->second.count >= limit_.limit) return windows[""];
      windows.erase(lightest);
    }
  }
  return windows[std::move(client)];
}

WindowState RateWindows::hit(std::string_view client) {
  const auto now = clock_();
  auto& shard = shards_[std::hash<std::string_view>{}(client) % shard_count];
  const std::lock_guard lock(shard.mutex);
  auto& window = window_of(shard, std::string(client), now);
  if (window.end <= now) window = {.end = now + limit_.window, .count = 0};
  const bool allowed = window.count < limit_.limit;
  if (allowed) ++window.count;
  return {.allowed = allowed,
          .limit = limit_.limit,
          .remaining = limit_.limit - window.count,
          .reset = std::chrono::ceil<std::chrono::seconds>(window.end - now)};
}

std::string rate_key(std::string_view client_address) {
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(std::string(client_address), error);
  if (error || address.is_v4()) return std::string(client_address);
  const auto bytes = address.to_v6().to_bytes();
  return ':' + std::string(bytes.begin(), bytes.begin() + 8);  // no IPv4 address begins like that
}

}  // namespace web
