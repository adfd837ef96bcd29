// A box that was a standby tells the one that it has replaced, until that one has heard of it.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <optional>

#include "appliance/box/standby/timeline.h"
#include "appliance/foundation/platform.h"
#include "web/task.h"

namespace standby {

// Used on `home` alone.
class Fencer {
 public:
  // Throws agentbox::UsageError.
  explicit Fencer(const agentbox::Platform&);
  ~Fencer() { asking_.join(); }
  Fencer(const Fencer&) = delete;
  Fencer& operator=(const Fencer&) = delete;

  // Whether there was such a box at the start.
  bool is_needed() const { return is_needed_; }
  // One attempt.
  web::Task<> work();

 private:
  const agentbox::Platform& platform_;
  const bool is_needed_;
  bool is_done_ = false;
  boost::asio::thread_pool asking_{1};
};

}  // namespace standby
