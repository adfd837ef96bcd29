// When sessions were last used, for the idle time-out. A use is noted in memory and written later, and only once in a
// while for each session: requests do not write.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>

#include "appliance/access/records.h"
#include "web/task.h"

namespace accounts {

// Callable from every thread; must not outlive the store.
class SessionUses {
 public:
  // `idle`: the time without a use after which a session is over.
  SessionUses(store::System system, std::chrono::milliseconds idle);

  // When the session is over unless it is used again; at most Session::expires_at.
  store::Time ends_at(const Session&) const;
  // Exact to an hour, and to an eighth of the idle time.
  store::Time last_use(const Session&) const;
  // Notes that a live session was used.
  void note(const Session&, store::Time now);
  // Writes the noted uses.
  web::Task<> flush();

 private:
  store::System system_;
  const std::chrono::milliseconds idle_;
  const std::chrono::milliseconds precision_;  // a stored use is replaced when it is older
  mutable std::mutex mutex_;                   // protects uses_
  std::map<std::string, store::Time> uses_;    // by session; not written yet
};

}  // namespace accounts
