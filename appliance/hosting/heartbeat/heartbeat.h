// Heartbeats: a recurring prompt that has an agent check on its work. Each is a task of the schedule, which runs it
// like any other.
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
  std::optional<store::Time> last, next;  // no next: never set, or disabled
  std::optional<schedule::Outcome> last_outcome;
  std::string last_error;
  std::optional<store::Time> updated_at;  // nothing: never set
};

struct Changes {
  std::optional<std::string> frequency, prompt;
  std::optional<bool> enabled;
};

// Callable from every thread. Its arguments must outlive it.
class Heartbeats {
 public:
  Heartbeats(store::System system, schedule::Tasks& tasks, const schedule::TimeZones& zones,
             schedule::Clock clock = store::now)
      : system_(std::move(system)), tasks_(tasks), zones_(zones), clock_(std::move(clock)) {}

  // The defaults, without `next`, if the heartbeat was never set. not_found.
  web::Result<Heartbeat> find(store::UserId, const std::string& agent) const;
  // Only given fields change; the next heartbeat is one frequency from now. not_found; invalid, naming the field.
  web::Task<web::Result<Heartbeat>> set(store::UserId, std::string agent, Changes);
  // not_found if there is no such agent; success if it has no heartbeat.
  web::Task<web::Result<void>> remove(store::UserId, std::string agent);

 private:
  Heartbeat shown(const schedule::Task&) const;

  store::System system_;
  schedule::Tasks& tasks_;
  const schedule::TimeZones& zones_;
  const schedule::Clock clock_;
};

}  // namespace heartbeat
