// Installations of the product elsewhere that have registered with this box (Home and Link modes), and whether they
// are alive.
#pragma once

#include <boost/describe.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "store/store.h"
#include "web/task.h"

namespace installations {

BOOST_DEFINE_ENUM_CLASS(Mode, home, link, cloud)

struct Installation {
  std::string user_id;  // as it names itself; one installation each
  Mode mode = Mode::home;
  store::Sealed gateway_token;  // empty: it gave none
  store::Time registered_at, last_seen;
};
BOOST_DESCRIBE_STRUCT(Installation, (), (user_id, mode, gateway_token, registered_at, last_seen))

inline const store::Global<Installation> table{{.family = "installations", .number = 34}, &Installation::user_id, {}};

// Callable from every thread.
class Installations {
 public:
  // One that was not heard of for three of these intervals is inactive.
  Installations(store::System system, std::chrono::milliseconds interval)
      : system_(std::move(system)), silence_(3 * interval) {}

  // Registering again replaces mode and token and keeps the moment of the first time; without a token the one it gave
  // before stays.
  web::Task<Installation> register_one(std::string user_id, Mode, std::string gateway_token);
  // It is alive. Nothing happens for one that is not known. Written relaxed: the next one says the same.
  web::Task<> heard_of(std::string user_id);
  // The first `limit`, by user id.
  std::vector<Installation> list(std::size_t limit) const;
  bool is_active(const Installation& one) const { return store::now() - one.last_seen < silence_; }

 private:
  store::System system_;
  const std::chrono::milliseconds silence_;
};

}  // namespace installations
