// Gives up root permanently: for a process that is started by root and needs it no longer.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

namespace sandbox {

struct Account {
  uid_t user = 0;
  gid_t group = 0;
};
// From the system's list of users.
std::optional<Account> account_named(const std::string&);

// Gives everything below the folder, and the folder itself, to the account. Follows no links. Below `shared`, where
// others may have made links, files with several names keep their owner: one of the names may be outside. Throws
// std::system_error.
void give_folder(const std::filesystem::path& folder, const std::filesystem::path& shared, Account);

// Becomes the account, without other groups, and without capabilities now and later; programs that it executes gain no
// privileges. Of the whole process: only while it has one thread. Throws std::system_error.
void become_user(Account);

}  // namespace sandbox
