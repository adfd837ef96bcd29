#include "appliance/identity/accounts/user_search.h"

#include <algorithm>
#include <string_view>

#include "web/ascii.h"

namespace accounts {

namespace {

bool contains(std::string_view text, std::string_view lower_case_part) {
  const auto same = [](char a, char b) { return web::to_lower(a) == b; };
  return std::search(text.begin(), text.end(), lower_case_part.begin(), lower_case_part.end(), same) != text.end();
}

}  // namespace

std::vector<User> search_users(const store::System& system, const Accounts& accounts, const UserFilter& filter) {
  std::vector<User> page;
  if (filter.limit == 0) return page;
  const auto part = web::lower_case(filter.text);
  const auto is_meant = [&](const User& user) {
    if (user.id <= filter.after) return false;
    if (!part.empty() && !contains(user.email, part) && !contains(user.name, part)) return false;
    if (filter.is_disabled && user.is_disabled != *filter.is_disabled) return false;
    return !filter.is_admin || accounts.is_admin(user) == *filter.is_admin;
  };
  system.each<User, std::int64_t>(users, [&](const User& user) {
    if (is_meant(user)) page.push_back(user);
    return page.size() < filter.limit;
  });
  return page;
}

}  // namespace accounts
