// Watches all running agents, with one state machine for each, one agenda and one timer. Commands of the machines are
// carried out by WatchdogActions, with a limit on concurrent checks, and their results are reported to the machine.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "appliance/runtime/watchdog/records.h"
#include "appliance/runtime/watchdog/state_machine.h"
#include "web/task.h"

namespace watchdog {

// A watched agent.
struct Target {
  store::UserId owner = 0;
  std::string id, name;
  std::uint16_t port = 0;  // of its gateway on 127.0.0.1
};

// How the watchdog acts on agents and notifies people. All run on `home`; exceptions count as Outcome::unknown.
struct WatchdogActions {
  std::function<web::Task<Report>(Target, Command check)> check;
  std::function<web::Task<Report>(Target, std::string why)> kill, start, give_up;
  std::function<void(const Target&, Notice, const std::string& why)> notify;
  // An agent has entered a state: the last of its history. May be empty.
  std::function<void(const Watch&)> entered = {};
};

class Watchdog {
 public:
  Watchdog(store::System, Policy, WatchdogActions, boost::asio::io_context& home, std::size_t max_checks = 256);
  ~Watchdog();  // after stop(), or with `home` stopped

  // The current state of an agent, or the stored one if it is not being watched. Thread-safe.
  web::Task<Watch> look(store::UserId owner, std::string agent);

  // All of the following are called on `home`.
  // Their owner is looking at the agents, so the running ones are checked every few seconds instead of at the regular
  // interval, a bounded number in each call, the longest unchecked first. To be called again and again meanwhile.
  void attend(store::UserId owner);
  void begin(const Target&);   // it has been started; resets its state
  void resume(const Target&);  // it was found running; no effect if it is already watched
  // Its process ended by itself. Also for agents that are not watched yet.
  void exited(const Target&, std::string how);
  // Its owner requests a repair.
  void repair(const Target&);
  // Stops watching until one of the other functions is called. Results of running actions are ignored.
  void release(const std::string& agent);
  void stopped(store::UserId owner, const std::string& agent);
  // Deletes its state. Throws store::Unavailable.
  web::Task<> forget(store::UserId owner, std::string agent);

  // Starts no more actions, waits for running ones (except checks), and until all state is written.
  web::Task<> stop();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace watchdog
