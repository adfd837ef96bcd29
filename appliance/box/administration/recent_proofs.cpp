#include "appliance/box/administration/recent_proofs.h"

#include "appliance/foundation/trusted_time.h"
#include "appliance/identity/second_factor/step_up.h"

namespace administration {

store::Time RecentProofs::note(const std::string& session_id) {
  const auto now = agentbox::trusted_now();
  const std::lock_guard lock(mutex_);
  std::erase_if(valid_until_, [now](const auto& one) { return one.second <= now; });
  return valid_until_[session_id] = now + second_factor::fresh_for;
}

bool RecentProofs::is_recent(const std::string& session_id) const {
  const auto now = agentbox::trusted_now();
  {
    const std::lock_guard lock(mutex_);
    const auto found = valid_until_.find(session_id);
    if (found != valid_until_.end() && found->second > now) return true;
  }
  const auto began = sessions_.began(session_id);
  return began && *began + second_factor::fresh_for > now;
}

}  // namespace administration
