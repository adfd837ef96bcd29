// What changes for users while somebody reads their events. It compares the versions of the store's tables, a few reads
// of memory for each such user, and looks closer only at what has moved: no writer has to know of it. Without readers
// there is nothing to compare.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "appliance/box/live_events/feed.h"
#include "appliance/box/live_events/source.h"
#include "appliance/foundation/periodic.h"
#include "web/result.h"
#include "web/task.h"

namespace live_events {

struct HubOptions {
  std::size_t max_streams = 2'000, max_per_user = 200;
  std::size_t max_kept = 500;               // events of a user
  std::chrono::milliseconds kept{120'000};  // of a user without readers
  std::chrono::milliseconds pause{200};     // between two comparisons
  // Called on `home` with each comparison, for each user with readers. May be empty.
  std::function<void(store::UserId)> looking = {};
};

// Thread-safe.
class Hub {
 public:
  // Compares on `home` and reads on `blocking`. Both must outlive it.
  Hub(std::vector<Source>, boost::asio::io_context& home, boost::asio::thread_pool& blocking, HubOptions = {});
  ~Hub();  // after stop(), or with `home` stopped

  void start() { rounds_.start(); }
  web::Task<> stop();

  // The reader belongs to the calling coroutine's executor. too_many beyond the limits.
  web::Task<web::Result<std::shared_ptr<Reader>>> open(store::UserId, std::string after);
  // Ends the streams of a user. New ones start over.
  void end(store::UserId, std::string_view reason);

 private:
  struct Watched;
  class Slot;  // a stream's place within the limits
  struct Places;

  std::shared_ptr<Watched> find(store::UserId) const;
  std::vector<std::shared_ptr<Watched>> all() const;
  std::shared_ptr<Watched> watched(store::UserId) const;
  web::Task<> round();
  web::Task<> compare(std::shared_ptr<Watched>);

  const std::vector<Source> sources_;
  boost::asio::thread_pool& blocking_;
  const HubOptions options_;
  const std::shared_ptr<Places> places_;
  mutable std::mutex mutex_;  // protects watched_
  std::map<store::UserId, std::shared_ptr<Watched>> watched_;
  agentbox::Periodic rounds_;
};

}  // namespace live_events
