// The URLs of agents, <subdomain>.<AGENT_DOMAIN>, and the routing of requests that come to them.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "appliance/hosting/agents/host_access.h"
#include "appliance/hosting/agents/records.h"
#include "web/server/server.h"

namespace agents {

class AgentAddresses {
 public:
  // `domain`: AGENT_DOMAIN, without a leading dot. See HostAccess.
  AgentAddresses(store::System, std::string domain, HostAccess::SessionLives session_lives);

  // Where the web listener is reached; scheme and port are those of the agents' URLs. Before anything is served.
  void set_web_url(std::string_view web_url);

  // http(s)://<subdomain>.<domain>:<web port>
  std::string url(std::string_view subdomain) const;
  // ws(s)://<subdomain>.<domain>:<web port>/ws
  std::string websocket_url(std::string_view subdomain) const;
  // The agent's URL with a single-use ticket for that host's cookie.
  std::string open_url(const Agent&, const web::Caller&);
  // For the web listener. Must not outlive this.
  web::HostRouter host_router();

 private:
  const std::string domain_;
  std::string authority_;  // what follows the subdomain: ".localhost:3000"
  bool secure_ = false;
  HostAccess access_;
};

}  // namespace agents
