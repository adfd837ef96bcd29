// Stores the states of watched agents: only the newest state of each, many in one commit. If the store cannot be
// written, history is lost but watching continues.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>

#include "appliance/runtime/watchdog/records.h"
#include "web/task.h"

namespace watchdog {

// The only writer of its table. Used on `home` only.
class Journal {
 public:
  Journal(store::System, boost::asio::io_context& home);
  ~Journal();  // after flush(), or with `home` stopped

  // The last written state, also from before a restart; a default one if there is none.
  Watch read(store::UserId owner, const std::string& agent) const;
  // Returns at once.
  void write(const Watch&);
  // Waits until all writes are on disk or have failed.
  web::Task<> flush();
  // Deletes the agent's state, which must not be written any more. Throws store::Unavailable.
  web::Task<> forget(store::UserId owner, std::string agent);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace watchdog
