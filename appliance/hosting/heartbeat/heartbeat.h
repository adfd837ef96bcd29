// Heartbeats: a prompt that an agent gets again and again, so that it looks after what it has to do without being
// asked. Each is a task of the schedule, which runs it from its index like any other.
#pragma once

#include <optional>
#include <string>

#include "appliance/hosting/schedule/tasks.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace heartbeat {

inline constexpr auto default_frequency = "3h";

struct Heartbeat {
  std::string agent;
  std::string frequency = default_frequency;  // as schedule::parse_frequency reads it
  bool enabled = true;
  std::string prompt;
  std::optional<store::Time> last, next;  // next: nothing until it has been set, and while it is disabled
  std::optional<schedule::Outcome> last_outcome;
  std::string last_error;
  std::optional<store::Time> updated_at;  // nothing: never set
};

struct Changes {
  std::optional<std::string> frequency, prompt;
  std::optional<bool> enabled;
};

// Callable from every thread. What it is given must outlive it.
class Heartbeats {
 public:
  Heartbeats(store::System system, schedule::Tasks& tasks, const schedule::TimeZones& zones,
             schedule::Clock clock = store::now)
      : system_(std::move(system)), tasks_(tasks), zones_(zones), clock_(std::move(clock)) {}

  // The defaults for an agent whose heartbeat was never set: it has none until then. not_found.
  web::Result<Heartbeat> find(store::UserId, const std::string& agent) const;
  // Only what is given changes; the next one comes a whole frequency from now. not_found; invalid, naming the field.
  web::Task<web::Result<Heartbeat>> set(store::UserId, std::string agent, Changes);
  // Back to none. not_found when there is no such agent; removing none is success.
  web::Task<web::Result<void>> remove(store::UserId, std::string agent);

 private:
  Heartbeat shown(const schedule::Task&) const;

  store::System system_;
  schedule::Tasks& tasks_;
  const schedule::TimeZones& zones_;
  const schedule::Clock clock_;
};

}  // namespace heartbeat
