// The items of recent responses, so that clients may refer to them by their ids. Responses are not stored: the items
// are in memory for an hour at most, and gone with a restart.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace models::openai_api {

// Callable from every thread.
class RecentItems {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::minutes lifetime{60};
  // The oldest items beyond `max_bytes` are dropped.
  explicit RecentItems(std::size_t max_bytes = 16u << 20) : max_bytes_(max_bytes) {}

  // The output of a response to a user.
  void add(std::int64_t user, const boost::json::array& output, Clock::time_point now = Clock::now());
  // Not set: the item is unknown, too old, or another user's.
  std::optional<boost::json::object> find(std::int64_t user, std::string_view id,
                                          Clock::time_point now = Clock::now()) const;

 private:
  struct Item {
    std::string id, text;
    std::int64_t user = 0;
    Clock::time_point at;
  };
  void drop_oldest();

  const std::size_t max_bytes_;
  mutable std::mutex mutex_;  // protects all below
  std::list<Item> items_;     // oldest first
  std::map<std::string, std::list<Item>::iterator, std::less<>> by_id_;
  std::size_t bytes_ = 0;
};

}  // namespace models::openai_api
