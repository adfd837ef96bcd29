// What is stored about users and their sessions.
#pragma once

#include <boost/describe.hpp>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/store.h"
#include "store/table.h"

namespace accounts {

// A point in the order of all changes that ended sessions, of all users together and across restarts: see
// Sessions::session_epoch.
using SessionEpoch = std::int64_t;

struct User {
  std::int64_t id = 0;        // positive; shown as a string
  std::string email;          // lower case; unique
  std::string name;           // the e-mail when none was given
  std::string password_hash;  // Argon2id in its encoded form; empty: no password sign-in
  bool is_admin = false;
  bool is_disabled = false;   // keeps the data, refuses every credential
  std::string referral_code;  // lower case; unique
  std::int64_t referred_by = 0;
  store::Time created_at{};
  bool email_verified = false;      // by a trusted provider, or by a mail that arrived
  SessionEpoch sessions_since = 0;  // when all sessions were last ended: earlier ones are over
  SessionEpoch email_since = 0;     // when the address was last changed
  bool is_support = false;          // sees users, states and usage of all, and no contents
};
BOOST_DESCRIBE_STRUCT(User, (),
                      (id, email, name, password_hash, is_admin, is_disabled, referral_code, referred_by, created_at,
                       email_verified, sessions_since, email_since, is_support))

inline const store::Global<User, std::int64_t> users{
    {.family = "users", .number = 1, .access = store::Access::by_key},
    &User::id,
    {store::unique<User>(1, "email", &User::email), store::unique<User>(2, "referral_code", &User::referral_code)}};

// A user's id as the API shows it: a positive integer without sign, spaces or leading zeros; nothing otherwise.
inline std::optional<std::int64_t> parse_user_id(std::string_view text) {
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size() || id <= 0 || text.front() == '0') return std::nullopt;
  return id;
}

struct Session {
  std::string id;  // SHA-256 of the cookie's token in hex: a stolen disk gives no access
  std::int64_t user_id = 0;
  store::Time created_at{}, expires_at{};
  SessionEpoch moment = 0;     // User::sessions_since when it began: a later one has ended it
  store::Time last_used_at{};  // at times: see SessionUses
};
BOOST_DESCRIBE_STRUCT(Session, (), (id, user_id, created_at, expires_at, moment, last_used_at))

inline const store::Global<Session> sessions{
    {.family = "sessions", .number = 2},
    &Session::id,
    {store::index<Session>(1, "user", &Session::user_id), store::index<Session>(2, "expires", &Session::expires_at)}};

}  // namespace accounts
