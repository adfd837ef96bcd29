// Sessions of the browser. The cookie holds 256 random bits, its token; the store holds their SHA-256.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/access/events.h"
#include "appliance/access/records.h"
#include "appliance/access/session_uses.h"
#include "web/protocol/http.h"
#include "web/result.h"
#include "web/task.h"

namespace accounts {

inline constexpr std::string_view session_cookie = "app-session";
inline constexpr std::chrono::days session_lifetime{30};
inline constexpr std::chrono::days default_session_idle{7};

// Where a session was begun, for the list of a user's sessions. Apart from the sessions, which every request reads.
struct SessionOrigin {
  std::string id;          // of the session
  std::string user_agent;  // as the browser sent it, at most 500 bytes
  std::string address;
};
BOOST_DESCRIBE_STRUCT(SessionOrigin, (), (id, user_agent, address))

inline const store::Global<SessionOrigin> session_origins{
    {.family = "session_origins", .number = 142}, &SessionOrigin::id, {}};

// "Firefox on Linux", as well as a User-Agent tells; empty for an empty one, "another program" for an unknown one.
std::string browser_name(std::string_view user_agent);

// Callable from every thread; must not outlive the store and the events.
class Sessions {
 public:
  // Writes to the store: blocks. `idle`: a session without a request for so long is over.
  Sessions(store::System system, const agentbox::Events& events, std::chrono::milliseconds idle = default_session_idle)
      : system_(std::move(system)),
        events_(events),
        uses_(system_, idle),
        last_epoch_(system_.next_id_blocking("moments")) {}

  struct SignedIn {
    // SHA-256 of the cookie's token in hex. It cannot be used to sign in, and nobody who cannot read the session's
    // answers can guess it: it is the session's CSRF token, too, without storage or a second hash.
    std::string session_id;
    std::shared_ptr<const User> user;
  };
  // By the cookie's token, see session_token, and by the session's id. Nothing without a token, or if the session or
  // its user is unknown, expired, idle for too long, ended, deleted or disabled. Counts as a use of the session.
  std::optional<SignedIn> find(std::optional<std::string_view> token) const;
  std::optional<SignedIn> find_id(std::string_view session_id) const;
  // Whether it is the CSRF token of the session of this token.
  static bool csrf_token_valid(std::optional<std::string_view> token, std::string_view csrf_token);

  // The latest epoch of all users. A sign-in that does not know its user yet reads it first: a user whose
  // sessions_since is later was signed out meanwhile.
  SessionEpoch session_epoch() const { return last_epoch_; }
  // A later epoch than all before, for a change that ends sessions. A change that also removes a credential does so
  // before it asks for the epoch.
  web::Task<SessionEpoch> next_epoch();

  // A new session under a new token. `user` was read before its credentials were verified. `replaces` is the id of the
  // browser's current session, if any; it ends. Durable before the cookie is returned. unauthenticated: since `user`
  // was read it was disabled or all its sessions were ended.
  web::Task<web::Result<web::Cookie>> start(User user, bool secure, std::string replaces = {});
  // The same from a known place; the id of `origin` is ignored.
  web::Task<web::Result<web::Cookie>> start_at(SessionOrigin origin, User user, bool secure, std::string replaces);
  // Succeeds if there is no such session.
  web::Task<> end(std::string session_id);
  // Ends all sessions of a user but `except`, and all sign-ins that have begun, in one change whatever their number.
  web::Task<> end_all(store::UserId, std::string except = {});
  // The same as part of a change that updates the user. remove_ended removes the records afterwards.
  void end_all(User&, SessionEpoch, store::Change&, std::string_view except = {}) const;
  // After such a change: publishes Events::sessions_ended, and removes the records of the user's ended sessions.
  web::Task<> remove_ended(store::UserId);
  // When a session began; nothing if it has ended.
  std::optional<store::Time> began(const std::string& session_id) const;
  // When a live session ends unless it is used again.
  store::Time ends_at(const Session& session) const { return uses_.ends_at(session); }
  // When a live session was last used, about.
  store::Time last_used_at(const Session& session) const { return uses_.last_use(session); }
  // Writes when sessions were last used.
  web::Task<> flush_uses() { return uses_.flush(); }
  // The user's live sessions, the latest first.
  std::vector<Session> of_user(store::UserId) const;
  // Empty members for a session whose origin is not known.
  SessionOrigin origin_of(const Session&) const;
  // Removes expired sessions; returns their number.
  web::Task<std::size_t> sweep(store::Time now);

  static web::Cookie cleared(bool secure);

 private:
  web::Task<> erase(std::vector<Session>);
  // With its origin.
  void erase(const store::Row<Session>&, store::Change&) const;

  bool is_current(const Session&, const User&) const;

  store::System system_;
  const agentbox::Events& events_;
  mutable SessionUses uses_;
  std::atomic<SessionEpoch> last_epoch_;
};

}  // namespace accounts
