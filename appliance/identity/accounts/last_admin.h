// A box always keeps an administrator who can sign in.
#pragma once

#include "appliance/identity/accounts/accounts.h"
#include "store/store.h"
#include "web/result.h"

namespace accounts {

// Whether this account gives an administrator's rights now.
inline bool is_acting_admin(const Accounts& accounts, const User& user) {
  return !user.is_disabled && accounts.is_admin(user);
}

// For a change after which `user`, an administrator, is none any more or is gone: the change then requires that another
// administrator stays one, so that two of them cannot remove each other at once. conflict, LAST_ADMIN: there is no
// other. Reads the whole table of users at worst.
web::Result<void> require_another_admin(const store::System&, const Accounts&, const User& user, store::Change&);

}  // namespace accounts
