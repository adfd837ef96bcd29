// What administrators do to the accounts of others, with the audit log.
#pragma once

#include <optional>
#include <string>

#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/accounts/plan_directory.h"
#include "appliance/identity/accounts/user_search.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/second_factor/second_factor.h"
#include "web/result.h"
#include "web/task.h"

namespace accounts {

struct AdminNewUser {
  NewUser account;
  std::optional<std::string> plan;
};

struct AdminEdit {
  AdminChange account;
  std::optional<std::string> plan;
};

// Callable from every thread; the arguments must outlive it.
class Administration {
 public:
  Administration(store::System system, Accounts& accounts, Sessions& session_service,
                 second_factor::SecondFactor& factor, audit::Audit& audit)
      : system_(std::move(system)), accounts_(accounts), sessions_(session_service), factor_(factor), audit_(audit) {}

  // By id or by e-mail.
  std::optional<User> find(const std::string& name) const;
  // See search_users.
  std::vector<User> search(const UserFilter& filter) const { return search_users(system_, accounts_, filter); }
  bool has_second_factor(store::UserId user) const { return factor_.is_on(user); }
  // Errors of PlanDirectory::check, before anything changes; of Accounts::create_as_admin and PlanDirectory::assign.
  web::Task<web::Result<User>> create(audit::Actor, AdminNewUser, PlanDirectory&);
  // Errors of PlanDirectory::check, before anything changes; of Accounts::change_as_admin and PlanDirectory::assign.
  web::Task<web::Result<User>> edit(audit::Actor, User, AdminEdit, PlanDirectory&);
  web::Task<> end_sessions(audit::Actor, User);
  // `id` as lists show it. not_found.
  web::Task<web::Result<void>> end_session(audit::Actor, User, std::string id);
  // Ends the delays after wrong passwords and codes.
  web::Task<> unlock(audit::Actor, User);
  // For users who have lost phone, passkeys and recovery codes.
  web::Task<> remove_second_factor(audit::Actor, User);

 private:
  web::Task<> note(const audit::Actor&, std::string act, const User&, std::optional<web::Error> = {});

  const store::System system_;
  Accounts& accounts_;
  Sessions& sessions_;
  second_factor::SecondFactor& factor_;
  audit::Audit& audit_;
};

}  // namespace accounts
