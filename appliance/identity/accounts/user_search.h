// Finds users for administrators.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/identity/accounts/accounts.h"
#include "store/store.h"

namespace accounts {

struct UserFilter {
  std::string text;  // part of the e-mail or the name, in any case of ASCII letters; empty: all
  std::optional<bool> is_admin, is_disabled;
  store::UserId after = 0;
  std::size_t limit = 100;
};

// In the order of their ids. Reads the whole table at worst, and blocks.
std::vector<User> search_users(const store::System&, const Accounts&, const UserFilter&);

}  // namespace accounts
