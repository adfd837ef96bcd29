// Signing in, staying signed in, signing out. The cookie holds 256 random bits; the store holds their SHA-256.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/identity/accounts/records.h"
#include "web/http.h"
#include "web/result.h"
#include "web/task.h"

namespace accounts {

inline constexpr std::string_view session_cookie = "app-session";
inline constexpr std::chrono::days session_lifetime{30};

// Callable from every thread; must not outlive the store.
class Sessions {
 public:
  // Writes to the store: blocks.
  explicit Sessions(store::System system)
      : system_(std::move(system)), last_moment_(system_.next_id_blocking("moments")) {}

  struct SignedIn {
    // SHA-256 of the cookie's token in hex. It signs nobody in, and who cannot read the session's answers cannot guess
    // it: so it is the session's CSRF token too, which needs no storage and no second hash, and ends with the session.
    std::string session_id;
    std::shared_ptr<const User> user;
  };
  // Nothing without a cookie, with two of them, and when the session or its user is unknown, expired, ended, deleted or
  // disabled.
  std::optional<SignedIn> find(const web::Request&) const;
  // The cookie's token; nothing without exactly one session cookie.
  static std::optional<std::string_view> token(const web::Request&);
  // Whether that is the CSRF token of the request's session cookie.
  static bool csrf_token_valid(const web::Request&, std::string_view csrf_token);

  // The last one of any ending. Whoever does not know yet who comes in notes it first: a user whose sessions_since is
  // later was signed out meanwhile.
  SessionEpoch session_epoch() const { return last_moment_; }
  // Later than all before, for an ending. What shuts a door for good does so before it asks for one.
  web::Task<SessionEpoch> next_moment();

  // A new session under a new token for a user as read before they were proved. `replaces` is the id of the session
  // that the browser held so far, if any; it ends. Durable before the cookie is handed out. unauthenticated when the
  // user was disabled or all their sessions were ended since they were read: none may slip in behind that.
  web::Task<web::Result<web::Cookie>> start(User proved, bool secure, std::string replaces = {});
  // Ending one that is gone already is success.
  web::Task<> end(std::string session_id);
  // Ends all sessions of a user but `except`, and all sign-ins that have begun: in one change, whatever their number.
  web::Task<> end_all(store::UserId, std::string except = {});
  // The same as part of a change that updates the user, which is durable with it. The records are for remove_ended.
  void end_all(User&, SessionEpoch, store::Change&, std::string_view except = {}) const;
  // Removes the records of what has ended.
  web::Task<> remove_ended(store::UserId);
  // When a session began; nothing for one that has ended.
  std::optional<store::Time> began(const std::string& session_id) const;
  // The user's live sessions, the latest first.
  std::vector<Session> of_user(store::UserId) const;
  // Removes what has expired; how many that were.
  web::Task<std::size_t> sweep(store::Time now);

  static web::Cookie cleared(bool secure);

 private:
  web::Task<> erase(std::vector<Session>);

  store::System system_;
  std::atomic<SessionEpoch> last_moment_;
};

}  // namespace accounts
