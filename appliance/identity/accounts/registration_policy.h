// Who may create an account: the setting REGISTRATION.
#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>

#include "store/store.h"
#include "web/result.h"

namespace accounts {

// Codes that admit a registration.
class Invitations {
 public:
  virtual ~Invitations() = default;
  // Adds to the change that creates the newcomer's account what uses the code up, and what the code grants. Called
  // again after a concurrent write. Returns whether it grants a plan. forbidden: there is no such code, or it is used
  // up or expired.
  virtual web::Result<bool> redeem(const std::string& code, store::UserId newcomer, store::Change&) = 0;
};

BOOST_DEFINE_ENUM_CLASS(RegistrationMode, open, invite, closed)

// Holds for every way to create an account but an administrator's. Callable from every thread.
class RegistrationPolicy {
 public:
  RegistrationPolicy() = default;  // open
  // `mode`: open, invite or closed. `invitations` may be null: then no code is valid. It must outlive this.
  RegistrationPolicy(std::string_view mode, Invitations* invitations);

  // A code that is given counts where registration is open, too. forbidden: nobody may register (REGISTRATION_CLOSED),
  // or only with a code (INVITATION_REQUIRED).
  web::Result<void> check(const std::optional<std::string>& code) const;
  // The same as part of the change that creates the account: uses the code up. Returns whether that grants a
  // plan. Also the errors of redeem.
  web::Result<bool> admit(const std::optional<std::string>& code, store::UserId newcomer, store::Change&) const;
  RegistrationMode mode() const { return mode_; }

 private:
  RegistrationMode mode_ = RegistrationMode::open;
  Invitations* invitations_ = nullptr;
};

// The error of Invitations::redeem.
web::Error invalid_invitation();
// Whether an error says that the policy admits no new account.
bool is_registration_refusal(const web::Error&);

}  // namespace accounts
