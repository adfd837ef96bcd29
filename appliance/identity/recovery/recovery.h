// Password recovery: a token by mail, valid for thirty minutes and one use.
#pragma once

#include <chrono>
#include <string>

#include "appliance/foundation/periodic.h"
#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/identities/identities.h"
#include "appliance/identity/mail/outbox.h"
#include "appliance/identity/recovery/records.h"
#include "appliance/identity/second_factor/second_factor.h"
#include "appliance/identity/site.h"
#include "web/result.h"
#include "web/task.h"

namespace recovery {

inline constexpr std::chrono::minutes token_lifetime{30};
inline constexpr std::size_t tokens_at_once = 3;  // a fourth mail within a token's lifetime is not sent

// request() and reset() are callable from every thread; the arguments must outlive it.
class Recovery {
 public:
  Recovery(store::System, accounts::Accounts&, identities::Identities&, second_factor::SecondFactor&, mail::Outbox&,
           const agentbox::Site&, boost::asio::io_context& home);

  // Durable once this returns. Succeeds for every text; no mail is sent if it is no address, has no account or stands
  // for a wallet.
  web::Task<> request(std::string email);
  // Sets the password, ends all sessions and spends every token of the user, in one change. The mail verifies the
  // address; if it was unverified, this claims the account: see Identities::claim. A user with a second factor proves
  // it, and keeps it. invalid: the token is unknown, used or expired, or the password is refused. too_many: too many
  // passwords are being hashed. Else the errors of SecondFactor::check. Errors spend no token.
  web::Task<web::Result<accounts::User>> reset(std::string token, std::string password, second_factor::Proof);
  // Processes the pending requests.
  web::Task<> work();
  web::Task<> sweep(store::Time now);

  void start() { worker_.start(); }
  web::Task<> stop() { return worker_.stop(); }

 private:
  web::Task<> process(Request);
  web::Task<> send_token(accounts::User, accounts::SessionEpoch);
  web::Result<void> spend(const std::string& token_id, const accounts::User&, store::Change&) const;

  store::System system_;
  accounts::Accounts& accounts_;
  identities::Identities& identities_;
  second_factor::SecondFactor& factor_;
  mail::Outbox& outbox_;
  const agentbox::Site& site_;
  agentbox::Periodic worker_;
};

}  // namespace recovery
