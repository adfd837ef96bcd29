// Verification of e-mail addresses: a mail with a token, which the account's own session brings back.
#pragma once

#include <chrono>
#include <string>

#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/mail/outbox.h"
#include "appliance/identity/site.h"
#include "appliance/identity/verification/records.h"
#include "web/result.h"
#include "web/task.h"

namespace verification {

inline constexpr std::chrono::days token_lifetime{7};  // as long as the outbox keeps a mail
inline constexpr std::size_t mails_per_hour = 3;       // to one user, whatever the address

// Callable from every thread; the arguments must outlive it.
class Verification {
 public:
  Verification(store::System system, accounts::Accounts& accounts, mail::Outbox& outbox, const agentbox::Site& site)
      : system_(std::move(system)), accounts_(accounts), outbox_(outbox), site_(site) {}

  // Sends a mail to the user's address; durable once this returns. conflict: the address is verified, or is a wallet's.
  // too_many: `mails_per_hour` were sent. not_found.
  web::Task<web::Result<void>> send(store::UserId);
  // For the caller of a session: with the token alone, the owner of an address could verify an account that somebody
  // else registered. Spends every token of the user. invalid: the token is unknown, expired or used, or belongs to
  // another account. unauthenticated: the session has ended.
  web::Task<web::Result<accounts::User>> verify(web::Caller, std::string token);
  web::Task<> sweep(store::Time now);

 private:
  web::Result<void> spend(const std::string& token_id, const accounts::User&, store::Change&) const;

  store::System system_;
  accounts::Accounts& accounts_;
  mail::Outbox& outbox_;
  const agentbox::Site& site_;
};

}  // namespace verification
