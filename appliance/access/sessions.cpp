#include "appliance/access/sessions.h"

#include <algorithm>
#include <stdexcept>

#include "appliance/access/epochs.h"
#include "appliance/access/session_cookie.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/trusted_time.h"

namespace accounts {

bool Sessions::csrf_token_valid(std::optional<std::string_view> token, std::string_view csrf_token) {
  return token && crypto::constant_time_equal(crypto::sha256_hex(*token), csrf_token);
}

std::optional<Sessions::SignedIn> Sessions::find(std::optional<std::string_view> token) const {
  return !token || token->empty() ? std::nullopt : find_id(crypto::sha256_hex(*token));
}

std::optional<Sessions::SignedIn> Sessions::find_id(std::string_view session_id) const {
  const auto session = system_.cached(sessions, std::string(session_id));
  if (!session) return std::nullopt;
  auto user = system_.cached(users, session->user_id);
  if (!user || user->is_disabled || !is_current(*session, *user)) return std::nullopt;
  uses_.note(*session, agentbox::trusted_now());
  return SignedIn{session->id, std::move(user)};
}

bool Sessions::is_current(const Session& session, const User& user) const {
  return is_live(session, user) && uses_.ends_at(session) > agentbox::trusted_now();
}

web::Task<SessionEpoch> Sessions::next_epoch() {
  const SessionEpoch next = co_await system_.next_id("moments");
  // Concurrent calls return in any order.
  for (SessionEpoch last = last_epoch_; last < next && !last_epoch_.compare_exchange_weak(last, next);) continue;
  co_return next;
}

web::Task<web::Result<web::Cookie>> Sessions::start(User given, bool secure, std::string replaces) {
  SessionOrigin unknown;
  co_return co_await start_at(std::move(unknown), std::move(given), secure, std::move(replaces));
}

web::Task<web::Result<web::Cookie>> Sessions::start_at(SessionOrigin origin, User given, bool secure,
                                                       std::string replaces) {
  const std::string secret = crypto::random_token(32);
  const auto now = agentbox::trusted_now();
  const Session session{.id = crypto::sha256_hex(secret),
                        .user_id = given.id,
                        .created_at = now,
                        .expires_at = now + session_lifetime,
                        .moment = given.sessions_since};
  origin.id = session.id;
  for (;;) {
    const auto user = system_.get(users, given.id);
    if (!user || user->value.is_disabled || !is_live(session, user->value))
      co_return web::unauthenticated("Invalid credentials");
    auto change = system_.change();
    change.require(users, *user);
    change.insert(sessions, session);
    if (!origin.user_agent.empty() || !origin.address.empty()) change.insert(session_origins, origin);
    if (!replaces.empty()) {
      if (const auto old = system_.get(sessions, replaces)) erase(*old, change);
    }
    const auto outcome = co_await change.commit();
    if (outcome.ok()) break;
    if (outcome.kind != store::Outcome::Kind::stale) throw std::logic_error("a random session id was taken");
  }
  co_return web::Cookie{
      .name = std::string(session_cookie), .value = secret, .max_age = session_lifetime, .secure = secure};
}

web::Cookie Sessions::cleared(bool secure) {
  return {.name = std::string(session_cookie), .value = {}, .max_age = std::chrono::seconds{0}, .secure = secure};
}

web::Task<> Sessions::end(std::string session_id) {
  while (const auto row = system_.get(sessions, session_id)) {
    auto change = system_.change();
    erase(*row, change);
    const auto outcome = co_await change.commit();
    if (outcome.ok()) break;
  }
}

web::Task<> Sessions::end_all(store::UserId id, std::string except) {
  const SessionEpoch ending = co_await next_epoch();
  for (bool stale = true; stale;) {
    auto user = system_.get(users, id);
    if (!user) co_return;
    auto change = system_.change();
    end_all(user->value, ending, change, except);
    change.update(users, *user);
    const auto outcome = co_await change.commit();
    stale = !outcome.ok();
  }
  co_await remove_ended(id);
}

void Sessions::end_all(User& user, SessionEpoch ending, store::Change& change, std::string_view except) const {
  auto kept = system_.get(sessions, std::string(except));
  const bool is_kept = kept && kept->value.user_id == user.id && is_live(kept->value, user);
  user.sessions_since = std::max(user.sessions_since, ending);
  if (!is_kept) return;
  kept->value.moment = user.sessions_since;
  change.update(sessions, *kept);
}

web::Task<> Sessions::remove_ended(store::UserId id) {
  co_await events_.sessions_ended.publish(id);
  constexpr std::size_t page = 1000;
  for (bool more = true; more;) {
    const auto user = system_.get(users, id);
    if (!user) co_return;
    auto found = system_.find(sessions, "user", id, page);
    const std::size_t count = found.size();
    std::erase_if(found, [&](const Session& session) { return is_live(session, user->value); });
    more = count == page && !found.empty();
    if (!found.empty()) co_await erase(std::move(found));
  }
}

std::optional<store::Time> Sessions::began(const std::string& session_id) const {
  const auto row = system_.get(sessions, session_id);
  const auto user = row ? system_.get(users, row->value.user_id) : std::nullopt;
  if (!user || !is_current(row->value, user->value)) return std::nullopt;
  return row->value.created_at;
}

std::vector<Session> Sessions::of_user(store::UserId id) const {
  const auto user = system_.get(users, id);
  if (!user) return {};
  auto found = system_.find(sessions, "user", id);
  std::erase_if(found, [&](const Session& session) { return !is_current(session, user->value); });
  std::ranges::sort(found, std::greater(), &Session::created_at);
  return found;
}

web::Task<std::size_t> Sessions::sweep(store::Time now) {
  constexpr std::size_t page = 500;
  std::size_t removed = 0;
  for (;;) {
    auto expired = system_.find_range(sessions, "expires", store::Time{}, now, page);
    const std::size_t count = expired.size();
    removed += count;
    if (count > 0) co_await erase(std::move(expired));
    if (count < page) co_return removed;
  }
}

void Sessions::erase(const store::Row<Session>& row, store::Change& change) const {
  change.erase(sessions, row);
  if (const auto origin = system_.get(session_origins, row->id)) change.erase(session_origins, *origin);
}

SessionOrigin Sessions::origin_of(const Session& session) const {
  auto row = system_.get(session_origins, session.id);
  return row ? std::move(row->value) : SessionOrigin();
}

web::Task<> Sessions::erase(std::vector<Session> ended) {
  bool stale = true;
  while (stale) {
    auto change = system_.change();
    for (const Session& session : ended)
      if (const auto row = system_.get(sessions, session.id)) erase(*row, change);
    const auto outcome = co_await change.commit();
    stale = !outcome.ok();
  }
}

}  // namespace accounts
