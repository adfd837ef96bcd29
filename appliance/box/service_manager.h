// What the program that started the box is told of it, by systemd's protocol (sd_notify(3)): that it is ready, that it
// stops, and that it is alive. Without libsystemd: the protocol is stable and short, the library would be shared.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace agentbox {

class ServiceManager {
 public:
  // Nobody is told.
  ServiceManager() = default;
  // The one that NOTIFY_SOCKET names. Removes this, WATCHDOG_PID and WATCHDOG_USEC from the environment, so that no
  // child inherits them. Call it before there are threads.
  static ServiceManager take_from_environment();

  // "READY=1", "STOPPING=1", "WATCHDOG=1"; several separated by newlines. Never fails and never waits.
  void notify(std::string_view state) const;
  // How often WATCHDOG=1 is to be sent: half of the time after which the manager takes the box for hung. Nothing if it
  // does not watch.
  std::optional<std::chrono::microseconds> watchdog_pause() const { return watchdog_pause_; }

 private:
  std::string socket_;  // a path, or an abstract name that begins with @
  std::optional<std::chrono::microseconds> watchdog_pause_;
};

}  // namespace agentbox
