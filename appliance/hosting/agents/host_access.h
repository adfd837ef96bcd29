// Admits requests to <subdomain>.<AGENT_DOMAIN>: only the owner's, with the agent's gateway token or that host's own
// cookie, which the console obtains with a single-use ticket. Callable from every thread.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/access/records.h"
#include "appliance/hosting/agents/records.h"
#include "web/server/server.h"

namespace agents {

class HostAccess {
 public:
  // Whether a session of this user admits to agents; a use of the session.
  using SessionLives = std::function<bool(std::string_view session, store::UserId)>;
  // `domain` without a leading dot: localhost. Without `session_lives`, sessions count by their records alone.
  HostAccess(store::System, std::string domain, SessionLives session_lives);

  // Valid for one minute and one use. The cookie is valid as long as the caller's session.
  std::string ticket(const Agent&, const web::Caller&);
  // Where the web listener sends the request; nothing if `request.host` is not an agent's.
  std::optional<web::Result<web::ProxyTarget>> route(const web::Request&);

 private:
  struct Ticket {
    std::string agent, session;
    store::UserId user = 0;
    std::chrono::steady_clock::time_point expires;
  };

  web::Result<web::ProxyTarget> admit(const Agent&, const web::Request&);
  std::optional<web::ProxyTarget> redeem(const Agent&, const web::Request&, std::string_view ticket);
  bool cookie_is_valid(const Agent&, std::string_view cookie) const;
  bool has_live_session(std::string_view session, store::UserId) const;

  store::System system_;
  std::string suffix_;  // ".localhost"
  const SessionLives session_lives_;
  std::mutex mutex_;  // protects tickets_
  std::map<std::string, Ticket, std::less<>> tickets_;
};

}  // namespace agents
