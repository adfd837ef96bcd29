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

#include "appliance/hosting/agents/records.h"
#include "appliance/identity/accounts/records.h"
#include "web/server.h"

namespace agents {

class HostAccess {
 public:
  // `domain` without a leading dot: localhost.
  HostAccess(store::System, std::string domain);
  // Rejects the cookies of these owners. Before anything is served.
  void refuse_when(std::function<bool(const accounts::User&)> is_refused) { is_refused_ = std::move(is_refused); }

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
  bool session_lives(std::string_view session, store::UserId) const;

  store::System system_;
  std::string suffix_;  // ".localhost"
  std::function<bool(const accounts::User&)> is_refused_ = [](const accounts::User&) { return false; };
  std::mutex mutex_;  // protects tickets_
  std::map<std::string, Ticket, std::less<>> tickets_;
};

}  // namespace agents
