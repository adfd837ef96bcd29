// What users do to their own account: register, sign in with a password, sign out, change profile and password. The
// rules around Accounts are here (bot detection, step-up, second factor), and every attempt is written to the audit
// log.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/mail/outbox.h"
#include "appliance/identity/second_factor/step_up.h"
#include "appliance/identity/sign_in/sign_in.h"
#include "appliance/identity/site.h"
#include "appliance/identity/verification/verification.h"
#include "web/result.h"
#include "web/task.h"

namespace accounts {

struct RegistrationAttempt {
  Registration registration;
  std::string user_agent;
  std::string honeypot;  // a form field that people do not see
};

struct RegisteredUser {
  store::UserId id = 0;
  std::string email, name;
};

struct PasswordSignIn {
  std::string email, password;
  second_factor::Proof proof;
};

struct ProfileEdit {
  std::optional<std::string> name, email;
  second_factor::StepUpProof proof;  // for another e-mail
};

struct PasswordChange {
  std::string current, replacement;
};

// Callable from every thread; the arguments must outlive it.
class SelfService {
 public:
  SelfService(Accounts& accounts, Sessions& session_service, second_factor::SecondFactor& factor,
              sign_in::SignIn& sign_in, const KnownDevices& devices, verification::Verification& verification,
              mail::Outbox& outbox, const agentbox::Site& site, audit::Audit& audit)
      : accounts_(accounts),
        sessions_(session_service),
        factor_(factor),
        sign_in_(sign_in),
        devices_(devices),
        verification_(verification),
        outbox_(outbox),
        site_(site),
        audit_(audit) {}

  // Where to find the administrators, who get a mail when the break-glass account is used; without it there is none.
  // Before anything is served.
  void find_admins_in(store::System system, boost::asio::thread_pool& blocking) {
    users_.emplace(std::move(system));
    blocking_ = &blocking;
  }

  // A mail asks the user to verify the address. forbidden: it looks like a bot. Else the errors of Accounts::create.
  // Where mail is sent, a known address gets the answer of a new one, and its owner a mail: nobody else learns that it
  // has an account.
  web::Task<web::Result<RegisteredUser>> register_user(audit::Actor, RegistrationAttempt);
  // Errors of Accounts::authenticate, SecondFactor::check and SignIn::complete.
  web::Task<web::Result<sign_in::SignInResult>> sign_in(sign_in::Client, PasswordSignIn);
  // Ends the sessions of all these cookie tokens. False: the store is read-only, so sessions may be left.
  web::Task<bool> sign_out(audit::Actor, std::vector<std::string> tokens);
  // Another e-mail requires step-up; a mail asks to verify it. Errors of step_up, Accounts::new_email and
  // Accounts::change_profile.
  web::Task<web::Result<User>> edit_profile(audit::Actor, ProfileEdit);
  // All other sessions end. Errors of Accounts::change_password.
  web::Task<web::Result<void>> change_password(audit::Actor, PasswordChange);
  // Ends all sessions but the caller's.
  web::Task<> end_other_sessions(audit::Actor);
  // The device cookie of the caller's browser after a change that ended all other sessions, and with them the cookie
  // that it has (`device`); nothing if the caller's session has ended, too.
  std::optional<web::Cookie> renewed_device(const web::Caller&, std::string_view device, bool is_secure) const;
  // `id` is the beginning of the session's, as SessionList shows it. not_found.
  web::Task<web::Result<void>> end_session(audit::Actor, std::string id);

 private:
  web::Task<web::Result<User>> authenticate(const sign_in::Client&, PasswordSignIn);
  std::string source_of(const sign_in::Client&, const std::string& email) const;
  web::Task<web::Result<User>> apply(const web::Caller&, ProfileEdit);
  web::Task<> notify_owner(const User&);
  web::Task<> report_break_glass(User, std::string address);

  Accounts& accounts_;
  Sessions& sessions_;
  second_factor::SecondFactor& factor_;
  sign_in::SignIn& sign_in_;
  const KnownDevices& devices_;
  verification::Verification& verification_;
  mail::Outbox& outbox_;
  const agentbox::Site& site_;
  audit::Audit& audit_;
  std::optional<store::System> users_;
  boost::asio::thread_pool* blocking_ = nullptr;
  std::mutex mutex_;
  std::unordered_map<store::UserId, store::Time> notified_until_;  // guarded by mutex_
};

// How much of a session's id users see: enough to distinguish their sessions.
inline constexpr std::size_t shown_id_length = 16;

}  // namespace accounts
