// The events of one user. The newest are kept, so that a reader that was cut off goes on behind the last one it got. A
// reader has a position and no queue of its own: one that falls too far behind gets `reset` and loads everything again.
#pragma once

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "store/table.h"
#include "web/task.h"

namespace live_events {

struct Event {
  std::string id;    // where a reader resumes behind it
  std::string name;  // of its Source; or ready, reset, end
  std::string data;  // a JSON object
};

class Reader;

// Thread-safe.
class Feed : public std::enable_shared_from_this<Feed> {
 public:
  Feed(store::UserId user, std::size_t max_kept);

  const store::UserId user;

  void append(std::string name, std::string data);
  // Readers get what was appended before, then `end` with the reason.
  void end(std::string_view reason);
  // When the last reader left, unless there is one.
  std::optional<std::chrono::steady_clock::time_point> idle_since() const;

 private:
  friend class Reader;
  std::string id_of(std::uint64_t number) const { return id_ + "." + std::to_string(number); }
  std::optional<std::uint64_t> number_of(std::string_view id) const;
  // With mutex_ held.
  void wake_all() const;

  const std::string id_;  // another one after each restart of the box
  const std::size_t max_kept_;
  mutable std::mutex mutex_;  // protects the rest
  std::deque<Event> kept_;    // the newest, with the numbers up to last_
  std::uint64_t last_ = 0;
  std::optional<std::string> ended_;  // the data of `end`
  std::set<Reader*> readers_;
  std::chrono::steady_clock::time_point left_at_ = std::chrono::steady_clock::now();
};

// Used on `thread`, apart from wake().
class Reader : public std::enable_shared_from_this<Reader> {
 public:
  // `after`: the id of the last event that the client got, or empty.
  static std::shared_ptr<Reader> open(std::shared_ptr<Feed>, const web::Executor& thread, std::string_view after);
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // Waits for the next events and returns at least one. The first is `ready`, or `reset` if events after `after` are no
  // longer kept; `reset` also comes later, in the place of those that were dropped. `end` is the last one.
  web::Task<std::vector<Event>> next();
  void wake();

 private:
  Reader(std::shared_ptr<Feed>, const web::Executor& thread);
  std::vector<Event> take();

  const std::shared_ptr<Feed> feed_;
  const web::Executor thread_;
  web::Timer wake_;
  std::uint64_t position_ = 0;  // number of the last event returned
  bool has_begun_ = false;
  bool is_lost_ = false;  // `after` is not kept
};

}  // namespace live_events
