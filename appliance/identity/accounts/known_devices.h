// Browsers that have signed in before: a signed cookie says to which accounts. Failed sign-ins of such a browser are
// counted by themselves, so that strangers who guess at a password do not keep its owner out.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "appliance/access/records.h"
#include "web/protocol/http.h"

namespace accounts {

inline constexpr std::string_view device_cookie = "agentbox-device";
inline constexpr std::chrono::days device_lifetime{180};
inline constexpr std::size_t accounts_per_device = 5;  // those that signed in last

// The cookie has an entry for each account: user, session epoch, expiry and a random id, with a MAC. The end of all
// sessions of a user ends the entry. It gives no access. Callable from every thread.
class KnownDevices {
 public:
  explicit KnownDevices(std::string key) : key_(std::move(key)) {}

  // The device's id if it has signed in to the account since all its sessions were last ended. `cookie` is the cookie's
  // value; may be empty.
  std::optional<std::string> find(std::string_view cookie, const User&, store::Time now) const;
  // The cookie for a browser that has signed in to the account, besides its accounts in `cookie`.
  web::Cookie issue(const User&, std::string_view cookie, bool is_secure, store::Time now) const;

 private:
  struct Entry;
  std::optional<Entry> read(std::string_view text, store::Time now) const;
  std::string sealed(std::string text) const;

  const std::string key_;
};

}  // namespace accounts
