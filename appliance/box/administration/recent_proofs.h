// Sessions whose user has proved, a short time ago, to be their user.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <unordered_map>

#include "appliance/access/sessions.h"

namespace administration {

// What step-up has proved is kept in memory: after a restart users prove it again. A sign-in is stored and counts as
// long as it is recent. Callable from every thread; the sessions must outlive it.
class RecentProofs {
 public:
  explicit RecentProofs(const accounts::Sessions& sessions) : sessions_(sessions) {}

  // The user of this session has passed step-up now. Returns until when that counts.
  store::Time note(const std::string& session_id);
  // Whether the session began, or its last step-up was, less than second_factor::fresh_for ago.
  bool is_recent(const std::string& session_id) const;

 private:
  const accounts::Sessions& sessions_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, store::Time> valid_until_;  // by session; guarded by mutex_
};

}  // namespace administration
