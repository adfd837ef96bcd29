// Other installations of the product that have registered with this box (Home and Link modes), and their heartbeats.
#pragma once

#include <boost/describe.hpp>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace installations {

BOOST_DEFINE_ENUM_CLASS(Mode, home, link, cloud)

struct Installation {
  std::string user_id;  // of a user of this box; unique
  Mode mode = Mode::home;
  store::Time registered_at, last_seen;
};
BOOST_DESCRIBE_STRUCT(Installation, (), (user_id, mode, registered_at, last_seen))

inline const store::Global<Installation> table{{.family = "installations", .number = 34}, &Installation::user_id, {}};

// Callable from every thread.
class Installations {
 public:
  // Inactive after three of these intervals without a heartbeat.
  Installations(store::System system, std::chrono::milliseconds interval)
      : system_(std::move(system)), longest_silence_(3 * interval) {}

  // Registering again replaces the mode and keeps registered_at. not_found: no such user.
  web::Task<web::Result<Installation>> register_one(std::string user_id, Mode);
  // Ignored for unknown installations. Written relaxed: the next heartbeat makes up for a lost one.
  web::Task<> record_heartbeat(std::string user_id);
  // The first `limit` behind the user id `after`, by user id.
  std::vector<Installation> list(std::string_view after, std::size_t limit) const;
  bool is_active(const Installation& installation) const {
    return store::now() - installation.last_seen < longest_silence_;
  }

 private:
  store::System system_;
  const std::chrono::milliseconds longest_silence_;
};

}  // namespace installations
