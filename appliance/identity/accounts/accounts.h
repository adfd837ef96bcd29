// People: registering, proving who one is, and what one may change about oneself.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/identity/accounts/login_limit.h"
#include "appliance/identity/accounts/password_hasher.h"
#include "appliance/identity/accounts/records.h"
#include "appliance/identity/accounts/sessions.h"
#include "web/result.h"
#include "web/task.h"

namespace accounts {

// What each of the two gets when somebody registers with a referral code.
inline constexpr std::int64_t referral_credits = 100;

inline constexpr std::size_t referral_code_length = 10;

struct Registration {
  std::string email, password;
  std::optional<std::string> name, referral_code;
};

struct ProfileChange {
  std::optional<std::string> name, email;  // e-mail: as new_email made it
};

struct AdminChange {
  std::optional<std::string> password;  // ends all sessions
  std::optional<bool> is_admin, is_disabled;
};

// Callable from every thread; the arguments must outlive it.
class Accounts {
 public:
  // `admin_emails` in lower case: their owners are admins without the flag.
  Accounts(store::System, PasswordHasher&, Sessions&, LoginLimit&, std::vector<std::string> admin_emails);

  // invalid: e-mail, password or referral code; forbidden: the address of a listed admin; conflict: there is such a
  // user.
  web::Task<web::Result<User>> create(Registration);
  // A user who signs in otherwise than by password. `email` in lower case; `proved`: somebody trusted vouches for it.
  // Errors as of create.
  web::Task<web::Result<User>> create_without_password(std::string email, std::string name, bool proved);
  // The user, or unauthenticated with the same words and after the same work whether or not there is such a user;
  // too_many after too many failures.
  web::Task<web::Result<User>> authenticate(std::string email, std::string password);

  // See Sessions::moment.
  SessionEpoch session_epoch() const { return sessions_.session_epoch(); }

  std::optional<User> find(store::UserId) const;
  std::optional<User> find_by_email(std::string_view email) const;
  bool is_admin(const User&) const;
  std::int64_t credits_of(store::UserId) const;
  // In the order of their ids, after `after`. Reads the whole table: blocks.
  std::vector<User> list(store::UserId after, std::size_t limit) const;

  // invalid when it is not the user's password; too_many after too many failures.
  web::Task<web::Result<void>> prove_password(store::UserId, std::string password);
  // The address in the form that is kept; nothing when it is the user's already. invalid; forbidden: it is an admin's.
  web::Result<std::optional<std::string>> new_email(const User&, std::string_view email) const;
  // For the caller of a session, who has proved once more to be the user if the e-mail is to change: it is what the
  // account is recovered by. Nobody vouches for the new one yet, and no mail to the old one resets the password any
  // more. unauthenticated: the session has ended; conflict: somebody has the address.
  web::Task<web::Result<User>> change_profile(web::Caller, ProfileChange);
  // Ends every session of the user but `kept_session`, and every mail by which a password could be reset.
  web::Task<web::Result<void>> change_password(store::UserId, std::string kept_session, std::string current,
                                               std::string replacement);
  web::Task<web::Result<User>> change_as_admin(store::UserId, AdminChange);
  // What else is to happen in the change that is about to be made to a user, given as it was before; asked again when
  // somebody else wrote in between. An error is the caller's answer, and nothing happens.
  using Also = std::function<web::Result<void>(const User& before, store::Change&)>;
  // The owner of the address has come: whoever registered it before without proving so loses password and sessions,
  // and what `also` takes. Administrators were made by hand and keep theirs; for them and for users whose address was
  // proved `also` is not asked. conflict: the account has another address or was signed out since it was read.
  web::Task<web::Result<User>> claim(User, Also also);
  // Of a password that refuse_password lets through. too_many when too many are being hashed.
  web::Task<web::Result<std::string>> hash_password(std::string password);
  // Sets the password's hash for who proved to own the account's address, and ends all sessions. not_found, and the
  // errors of `also`.
  web::Task<web::Result<User>> reset_password(store::UserId, std::string hash, Also also);

  // The rules for new passwords; nothing when it is fine.
  static std::optional<web::Error> refuse_password(std::string_view password, std::string_view email);

 private:
  web::Task<web::Result<User>> insert(User, std::optional<User> referrer);
  // Changes a user, with whatever else `apply` adds to the change; again when somebody else wrote in between. Errors
  // of `apply`, not_found, and conflict: the e-mail is taken.
  using Apply = std::function<web::Result<void>(User&, store::Change&)>;
  web::Task<web::Result<User>> edit(store::UserId, Apply apply);
  web::Task<web::Result<void>> prove(const User&, std::string password);
  bool is_listed_admin(std::string_view email) const;

  store::System system_;
  PasswordHasher& hasher_;
  Sessions& sessions_;
  LoginLimit& login_limit_;
  const std::vector<std::string> admin_emails_;
};

}  // namespace accounts
