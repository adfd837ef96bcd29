// Users who leave permanently: what every part of the box keeps of them is erased, then their account.
#pragma once

#include <mutex>
#include <set>

#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/personal_data/personal_data.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace personal_data {

// Callable from every thread. The arguments must outlive it.
class AccountDeletions {
 public:
  AccountDeletions(store::System system, const PersonalData& data, accounts::Accounts& accounts, audit::Audit& audit,
                   boost::asio::thread_pool& blocking)
      : system_(std::move(system)), data_(data), accounts_(accounts), audit_(audit), blocking_(blocking) {}

  // The account is disabled at once and all its sessions end; the rest is erased before this returns. What a failure or
  // a crash leaves is erased later: finish_all(). True: nothing is left. not_found: no such user. conflict,
  // LAST_ADMIN: no other administrator is left. Else the obstacles of the parts.
  web::Task<web::Result<bool>> leave(audit::Actor, store::UserId);
  // Goes on with every departure that was not finished.
  web::Task<> finish_all();

 private:
  web::Task<web::Result<void>> record(accounts::User);
  web::Task<bool> finish(store::UserId);
  web::Task<> erase_account(store::UserId);
  web::Task<> erase_from_audit(const accounts::User&);

  store::System system_;
  const PersonalData& data_;
  accounts::Accounts& accounts_;
  audit::Audit& audit_;
  boost::asio::thread_pool& blocking_;
  std::mutex mutex_;  // protects finishing_
  std::set<store::UserId> finishing_;
};

}  // namespace personal_data
