// User accounts: registration, password verification, and changes to them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/access/records.h"
#include "appliance/access/sessions.h"
#include "appliance/identity/accounts/login_limit.h"
#include "appliance/identity/accounts/password_hasher.h"
#include "appliance/identity/accounts/registration_policy.h"
#include "web/result.h"
#include "web/task.h"

namespace accounts {

// Credits for both users when one registers with the other's referral code.
inline constexpr std::int64_t referral_credits = 100;

inline constexpr std::size_t referral_code_length = 10;

struct Registration {
  std::string email, password;
  std::optional<std::string> name, referral_code, invite_code;
  bool hides_known_address = false;  // a taken address is refused after the work for a new one
};

// An account that an administrator creates.
struct NewUser {
  std::string email;
  std::optional<std::string> password;  // none: the user signs in in another way, or has the password reset
  std::optional<std::string> name;
  bool is_admin = false;
  bool is_email_verified = false;  // the administrator answers for the address
};

// An account that the identity provider creates.
struct ProvisionedUser {
  std::string email, name;
  bool is_disabled = false;
};

struct ProfileChange {
  std::optional<std::string> name, email;  // e-mail: as new_email returned it
};

struct AdminChange {
  std::optional<std::string> password;  // ends all sessions
  std::optional<bool> is_admin, is_disabled, is_support;
};

// Who may use a password: the settings SIGN_IN and BREAK_GLASS_ADMIN.
struct PasswordPolicy {
  bool is_off = false;
  std::string break_glass;  // address of the administrator who may use one nevertheless; empty: none
};

// Callable from every thread; the arguments must outlive it.
class Accounts {
 public:
  // `admin_emails` in lower case: users who have proved such an address are administrators without the flag.
  Accounts(store::System, PasswordHasher&, Sessions&, LoginLimit&, const agentbox::Events&,
           std::vector<std::string> admin_emails);

  // Who may register; open to everybody unless it is set. Before anything is served.
  void set_registration(RegistrationPolicy policy) { registration_ = policy; }
  // Passwords of everybody unless it is set. Before anything is served.
  void set_password_policy(PasswordPolicy policy) { password_policy_ = std::move(policy); }
  // The administrator who may use a password although passwords are off.
  bool is_break_glass(const User&) const;
  // Whether the user has a password that may be used.
  bool has_password(const User&) const;
  // forbidden, PASSWORDS_OFF: passwords are off, and the user is not the break-glass administrator.
  web::Result<void> admit_password_of(const User&) const;
  RegistrationMode registration_mode() const { return registration_.mode(); }

  // invalid: e-mail, password or referral code. conflict: the address is taken. Also the errors of RegistrationPolicy.
  // forbidden, PASSWORDS_OFF: passwords are off.
  web::Task<web::Result<User>> create(Registration);
  // The id of no user, now or later.
  web::Task<store::UserId> unused_id() { return system_.next_id("users"); }
  // A user who signs in by other means than a password. `email` in lower case; `is_email_verified`: a trusted provider
  // has verified it. Errors of create.
  web::Task<web::Result<User>> create_without_password(std::string email, std::string name, bool is_email_verified,
                                                       std::optional<std::string> invite_code = {});
  // Whatever the registration policy is. invalid: e-mail or password. conflict: the address is taken.
  web::Task<web::Result<User>> create_as_admin(NewUser);
  // unauthenticated, with the same message and after the same work whether or not there is such a user; too_many while
  // the failures of `source` for this account are followed by a delay (see LoginLimit). A password that may not be used
  // is a wrong one.
  web::Task<web::Result<User>> authenticate(std::string email, std::string password, std::string source);
  // Forgets the failed attempts at the user's password, from all sources.
  void unlock(const User& user) { login_limit_.clear(user.email); }
  // Called when there were many failures for an account. Set before anything is served.
  using OnGuesses = std::function<web::Task<>(store::UserId, unsigned failures)>;
  void report_guesses_to(OnGuesses on_guesses) { on_guesses_ = std::move(on_guesses); }

  // See Sessions::session_epoch.
  SessionEpoch session_epoch() const { return sessions_.session_epoch(); }

  std::optional<User> find(store::UserId) const;
  std::optional<User> find_by_email(std::string_view email) const;
  // By the flag, or by a listed address that was verified. An address that was only typed gives no rights: anybody can
  // register it.
  bool is_admin(const User&) const;
  // In the order of their ids, after `after`. Reads the whole table and blocks.
  std::vector<User> list(store::UserId after, std::size_t limit) const;

  // For the caller of a session, whose failures count apart from those of all others. invalid: it is not the user's
  // password. too_many: see authenticate.
  web::Task<web::Result<void>> prove_password(web::Caller, std::string password);
  // The normalised address; nothing if it is the user's already. invalid.
  web::Result<std::optional<std::string>> new_email(const User&, std::string_view email) const;
  // For the caller of a session; another e-mail requires step-up before, since it is what the account is recovered by.
  // The new address is unverified, and mails sent to the old one no longer reset the password. unauthenticated: the
  // session has ended. conflict: the address is taken.
  web::Task<web::Result<User>> change_profile(web::Caller, ProfileChange);
  // Ends every session of the user but `kept_session`, the caller's, and invalidates password-reset mails. Errors of
  // prove_password for `current`.
  web::Task<web::Result<void>> change_password(store::UserId, std::string kept_session, std::string current,
                                               std::string replacement);
  web::Task<web::Result<User>> change_as_admin(store::UserId, AdminChange);
  // Adds to a change of a user, who is given as before it. Called again after a concurrent write. An error is returned
  // to the caller, and nothing changes.
  using Also = std::function<web::Result<void>(const User& before, store::Change&)>;
  // An account that the identity provider makes, whatever the registration policy is. Its address counts as verified,
  // unless it is one of ADMIN_EMAILS: the provider makes no administrators. invalid: the e-mail. conflict: the address
  // is taken. Errors of `also`, which gets the newcomer.
  web::Task<web::Result<User>> create_provisioned(ProvisionedUser, Also also);
  // What `provision` makes of an account as the identity provider says: its name, its address, which then counts as
  // verified, and whether it is disabled, which ends all sessions at the epoch `now`. It may run several times.
  // not_found; errors of `provision`. forbidden: it would make or unmake an administrator, give an administrator
  // another address, or disable the break-glass administrator. conflict: the address is taken, or this is the last
  // administrator (LAST_ADMIN).
  using Provision = std::function<web::Result<void>(User&, SessionEpoch now, store::Change&)>;
  web::Task<web::Result<User>> change_provisioned(store::UserId, Provision);
  // For the caller of a session who has received a mail at the account's address. Errors of `also`. unauthenticated:
  // the session has ended.
  web::Task<web::Result<User>> verify_email(web::Caller, Also also);
  // The verified owner of the address takes over the account: an unverified user loses password and sessions, and what
  // `also` removes. Administrators and verified users keep everything, and `also` is not called. conflict: the account
  // has changed its address or was signed out since it was read.
  web::Task<web::Result<User>> claim(User, Also also);
  // The password has passed refuse_password. invalid: it is in the list of breached ones. overloaded: too many
  // passwords are being hashed.
  web::Task<web::Result<std::string>> hash_password(std::string password);
  // For the verified owner of the account's address. Ends all sessions. not_found, and the errors of `also`.
  web::Task<web::Result<User>> reset_password(store::UserId, std::string hash, Also also);

  // The rules for new passwords, without the list of breached ones; nothing if the password is acceptable.
  static std::optional<web::Error> refuse_password(std::string_view password, std::string_view email);

 private:
  // `admit` adds to the change, or refuses it; it may run several times.
  // Adds to the change that creates the user; returns whether that gives a plan.
  using Admit = std::function<web::Result<bool>(const User&, store::Change&)>;
  web::Task<web::Result<User>> insert(User, std::optional<User> referrer, Admit admit);
  // Changes a user, with what `apply` adds to the change; retried after a concurrent write. Errors of `apply`;
  // not_found; conflict: the e-mail is taken.
  using Apply = std::function<web::Result<void>(User&, store::Change&)>;
  web::Task<web::Result<User>> edit(store::UserId, Apply apply);
  web::Task<web::Result<void>> verify_password(const User&, std::string session, std::string password);
  web::Task<> count_failure(const std::string& email, const std::string& source, std::optional<store::UserId>);
  bool is_listed_admin(std::string_view email) const;

  store::System system_;
  PasswordHasher& hasher_;
  Sessions& sessions_;
  LoginLimit& login_limit_;
  const agentbox::Events& events_;
  const std::vector<std::string> admin_emails_;
  OnGuesses on_guesses_;
  RegistrationPolicy registration_;
  PasswordPolicy password_policy_;
};

}  // namespace accounts
