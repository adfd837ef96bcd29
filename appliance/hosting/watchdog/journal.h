// Writes how the watched agents are. Of each only the newest state is written, of many in one commit; a store that
// cannot be written costs the history and never the watching.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>

#include "appliance/hosting/watchdog/records.h"
#include "web/task.h"

namespace watchdog {

// The only writer of its table. Used on `home` only.
class Journal {
 public:
  Journal(store::System, boost::asio::io_context& home);
  ~Journal();  // after flush(), or with `home` stopped

  // What was given to write() last, by this box or one before it; else a fresh one.
  Watch read(store::UserId owner, const std::string& agent) const;
  // Returns at once.
  void write(const Watch&);
  // Suspends until what was given to write() is on disk, or could not be written.
  web::Task<> flush();
  // The agent goes, and nothing will be written of it any more. Throws store::Unavailable.
  web::Task<> forget(store::UserId owner, std::string agent);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace watchdog
