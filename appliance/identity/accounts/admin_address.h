// Addresses that act as administrators on the backend, where the caller holds a key and names an address.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/identity/accounts/accounts.h"

namespace accounts {

// A listed administrator need not have an account. The account of somebody who only typed the address, or who is
// disabled, has no such rights. `email` in normal form.
inline bool is_admin_address(const Accounts& accounts, const std::vector<std::string>& admin_emails,
                             std::string_view email) {
  const auto user = accounts.find_by_email(email);
  if (user) return !user->is_disabled && accounts.is_admin(*user);
  return std::ranges::find(admin_emails, email) != admin_emails.end();
}

}  // namespace accounts
