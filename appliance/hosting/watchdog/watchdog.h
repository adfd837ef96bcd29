// Watches every running agent: one state machine each, one agenda and one timer for all. What a machine asks for is
// done by the hands it was given, at most so many checks at once, and what came of it is told to the machine.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "appliance/hosting/watchdog/records.h"
#include "appliance/hosting/watchdog/state_machine.h"
#include "web/task.h"

namespace watchdog {

// An agent as the watchdog needs to know it.
struct Target {
  store::UserId owner = 0;
  std::string id, name;
  std::uint16_t port = 0;  // of its gateway on 127.0.0.1
};

// How the watchdog reaches agents and people. All run on `home`; what they throw counts as a report `unknown`.
struct WatchdogActions {
  std::function<web::Task<Report>(Target, Command check)> check;
  std::function<web::Task<Report>(Target, std::string why)> kill, start, give_up;
  std::function<void(const Target&, Notice, const std::string& why)> tell;
};

class Watchdog {
 public:
  Watchdog(store::System, Policy, WatchdogActions, boost::asio::io_context& home, std::size_t most_checks = 256);
  ~Watchdog();  // after stop(), or with `home` stopped

  // How an agent is: as it is watched now, or as it was written last. Callable from every thread.
  web::Task<Watch> look(store::UserId owner, std::string agent);

  // All of the following are called on `home`.
  void begin(const Target&);   // it has been started, whatever was before
  void resume(const Target&);  // it is found running; nothing changes when it is watched already
  // Its process ended by itself. Also of one that is not watched yet.
  void exited(const Target&, std::string how);
  // Its owner wants it repaired, however it is.
  void repair(const Target&);
  // Somebody else has it in hand: it is not watched until one of the others is called. What the hands are doing to it
  // is not reported any more.
  void release(const std::string& agent);
  void stopped(store::UserId owner, const std::string& agent);
  // It is removed. Throws store::Unavailable.
  web::Task<> forget(store::UserId owner, std::string agent);

  // Asks the hands for nothing more, waits for what they are doing (checks are left to end by themselves), and until
  // everything is written.
  web::Task<> stop();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace watchdog
