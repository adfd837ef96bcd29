#include "appliance/access/session_uses.h"

#include <algorithm>

#include "appliance/foundation/trusted_time.h"

namespace accounts {

namespace {

using namespace std::chrono_literals;

store::Time stored_use(const Session& session) { return std::max(session.created_at, session.last_used_at); }

}  // namespace

SessionUses::SessionUses(store::System system, std::chrono::milliseconds idle)
    : system_(std::move(system)), idle_(idle), precision_(std::min<std::chrono::milliseconds>(1h, idle / 8)) {}

store::Time SessionUses::last_use(const Session& session) const {
  const auto stored = stored_use(session);
  const std::scoped_lock lock(mutex_);
  const auto noted = uses_.find(session.id);
  return noted == uses_.end() ? stored : std::max(stored, noted->second);
}

store::Time SessionUses::ends_at(const Session& session) const {
  // Most sessions have a stored use that suffices, without the lock.
  const bool is_recent = agentbox::trusted_now() < stored_use(session) + idle_ / 2;
  return std::min(session.expires_at, (is_recent ? stored_use(session) : last_use(session)) + idle_);
}

void SessionUses::note(const Session& session, store::Time now) {
  if (now - stored_use(session) < precision_) return;
  const std::scoped_lock lock(mutex_);
  uses_[session.id] = now;
}

web::Task<> SessionUses::flush() {
  decltype(uses_) uses;
  {
    const std::scoped_lock lock(mutex_);
    uses = uses_;
  }
  for (const auto& [id, at] : uses) {
    if (auto row = system_.get(sessions, id)) {
      row->value.last_used_at = std::max(row->value.last_used_at, at);
      auto change = system_.change();
      change.update(sessions, *row);
      const auto outcome = co_await change.commit(store::Durability::relaxed);
      if (!outcome.ok()) continue;  // changed meanwhile: written in the next round
    }
    const std::scoped_lock lock(mutex_);
    const auto noted = uses_.find(id);
    if (noted != uses_.end() && noted->second == at) uses_.erase(noted);
  }
}

}  // namespace accounts
