#include "appliance/hosting/agents/addresses.h"

#include <algorithm>

namespace agents {

AgentAddresses::AgentAddresses(store::System system, std::string domain, HostAccess::SessionLives session_lives)
    : domain_(std::move(domain)), access_(std::move(system), domain_, std::move(session_lives)) {}

void AgentAddresses::set_web_url(std::string_view web_url) {
  secure_ = web_url.starts_with("https://");
  auto host = web_url.substr(std::min(web_url.size(), web_url.find("://") + 3));
  host = host.substr(0, host.find('/'));
  const auto colon = host.rfind(':');
  const bool has_port = colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos;
  authority_ = "." + domain_ + std::string(has_port ? host.substr(colon) : std::string_view());
}

std::string AgentAddresses::url(std::string_view subdomain) const {
  return (secure_ ? "https://" : "http://") + std::string(subdomain) + authority_;
}

std::string AgentAddresses::websocket_url(std::string_view subdomain) const {
  return (secure_ ? "wss://" : "ws://") + std::string(subdomain) + authority_ + "/ws";
}

std::string AgentAddresses::open_url(const Agent& agent, const web::Caller& caller) {
  return url(agent.subdomain) + "/?ticket=" + access_.ticket(agent, caller);
}

web::HostRouter AgentAddresses::host_router() {
  return [this](const web::Request& request) { return access_.route(request); };
}

}  // namespace agents
