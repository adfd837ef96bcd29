#include "appliance/network/mcp_server/sessions.h"

#include "appliance/foundation/crypto/random.h"

namespace mcp_server {

namespace {

constexpr std::size_t max_sessions = 10'000;
constexpr std::chrono::hours longest_idle{1};

}  // namespace

std::string Sessions::begin(const web::Caller& caller, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (sessions_.size() >= max_sessions) erase(std::prev(sessions_.end()));
  sessions_.push_front({crypto::random_token(), caller.user_id, caller.agent + caller.credential, now});
  by_id_.emplace(sessions_.front().id, sessions_.begin());
  return sessions_.front().id;
}

bool Sessions::use(std::string_view id, const web::Caller& caller, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  const auto session = find(id, caller);
  if (session == sessions_.end()) return false;
  if (now - session->used_at > longest_idle) {
    erase(session);
    return false;
  }
  session->used_at = now;
  sessions_.splice(sessions_.begin(), sessions_, session);
  return true;
}

bool Sessions::end(std::string_view id, const web::Caller& caller) {
  const std::lock_guard lock(mutex_);
  const auto session = find(id, caller);
  if (session == sessions_.end()) return false;
  erase(session);
  return true;
}

Sessions::List::iterator Sessions::find(std::string_view id, const web::Caller& caller) {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return sessions_.end();
  const auto& session = *found->second;
  const bool is_own = session.user_id == caller.user_id && session.credential == caller.agent + caller.credential;
  return is_own ? found->second : sessions_.end();
}

void Sessions::erase(List::iterator session) {
  by_id_.erase(session->id);
  sessions_.erase(session);
}

}  // namespace mcp_server
