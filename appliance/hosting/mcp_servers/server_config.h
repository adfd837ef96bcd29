// The MCP servers in an agent's config:
//
//   "mcpServers": {"weather": {"url": "https://mcp.example.org/mcp", "token": "...", "headers": {"X-Team-Key": "..."},
//                              "tools": ["forecast"], "timeoutSeconds": 60}}
#pragma once

#include <boost/json/object.hpp>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "appliance/hosting/agents/records.h"
#include "web/result.h"

namespace mcp_servers {

inline constexpr std::size_t max_servers = 8;
inline constexpr std::chrono::seconds longest_timeout{120};

struct ServerConfig {
  std::string name;
  std::string url;    // http or https
  std::string token;  // sent as Authorization: Bearer; may be empty
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<std::string> tools;  // those that the agent may use; empty: all
  std::chrono::seconds timeout{30};
};

// invalid, naming the field ("config.mcpServers.weather.url").
web::Result<void> check_servers(const boost::json::object& servers);
// With the secrets of the agent's record. Servers that are turned off (enabled: false) or invalid by now are left out.
std::vector<ServerConfig> servers_of(const agents::Agent&);

}  // namespace mcp_servers
