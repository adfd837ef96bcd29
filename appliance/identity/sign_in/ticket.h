// A sign-in that lacks nothing but the second factor, kept by the browser until that comes.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/identity/accounts/records.h"
#include "web/http.h"

namespace sign_in {

inline constexpr std::chrono::minutes ticket_lifetime{5};
inline constexpr std::string_view ticket_cookie = "agentbox-second-factor";

struct Ticket {
  store::UserId user = 0;
  accounts::SessionEpoch sessions_since = 0;  // the user's: an ending of all sessions ends it
  store::Time until{};
  std::string act;  // which way in, as the record has it
  std::string id;   // 128 random bits, in hex
};

// The store holds no ticket: it proves itself with a MAC under the box's key.
std::string sealed(const Ticket&, const std::string& key);
// Nothing for a text of another make and for a ticket whose time is over.
std::optional<Ticket> unsealed(std::string_view text, const std::string& key, store::Time now);

}  // namespace sign_in
