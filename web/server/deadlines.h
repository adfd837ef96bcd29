// Time limits for many connections of one thread with a single timer: a coarse sweep over all of them.
#pragma once

#include <boost/intrusive/list.hpp>
#include <chrono>

#include "web/task.h"

namespace web {

using Clock = std::chrono::steady_clock;

// One time limit. Arming and disarming are plain stores.
class Deadline : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  virtual ~Deadline() = default;
  void arm(Clock::duration limit) { at_ = Clock::now() + limit; }
  void arm_at(Clock::time_point at) { at_ = at; }
  void disarm() { at_ = Clock::time_point::max(); }

 protected:
  // Called once per arming, at most one sweep period late. Must not destroy any Deadline.
  virtual void expire() = 0;

 private:
  friend class Deadlines;
  Clock::time_point at_ = Clock::time_point::max();
};

// All deadlines of one listener on one thread. The sweep runs only while there are any.
class Deadlines {
 public:
  Deadlines(Executor executor, Clock::duration period) : timer_(executor), period_(period) {}
  void add(Deadline&);
  // Stops the sweep, so that the io_context can run out of work.
  void stop();

 private:
  void schedule();
  void sweep();

  Timer timer_;
  Clock::duration period_;
  boost::intrusive::list<Deadline, boost::intrusive::constant_time_size<false>> armed_;
  bool scheduled_ = false, stopped_ = false;
};

}  // namespace web
