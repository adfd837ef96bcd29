// A sign-in that waits for its second factor. The browser keeps it in a cookie; the store holds nothing.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/access/records.h"

namespace sign_in {

inline constexpr std::chrono::minutes ticket_lifetime{5};
inline constexpr std::string_view ticket_cookie = "agentbox-second-factor";

struct Ticket {
  store::UserId user = 0;
  accounts::SessionEpoch sessions_since = 0;  // the user's: ending all sessions ends the ticket
  store::Time until{};
  std::string act;  // the sign-in method, as in the audit log
  std::string id;   // 128 random bits, in hex
};

// The ticket as text, with a MAC under the box's key.
std::string sealed(const Ticket&, const std::string& key);
// Nothing for a text with a wrong MAC and for an expired ticket.
std::optional<Ticket> unsealed(std::string_view text, const std::string& key, store::Time now);

}  // namespace sign_in
