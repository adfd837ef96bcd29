// The MCP servers in an agent's config, over HTTP or as programs of the agent's:
//
//   "mcpServers": {"weather": {"url": "https://mcp.example.org/mcp", "token": "...", "headers": {"X-Team-Key": "..."},
//                              "tools": ["forecast"], "timeoutSeconds": 60},
//                  "files": {"package": "server-filesystem", "args": ["/workspace"]},
//                  "tracker": {"command": "tracker-mcp", "args": ["--stdio"], "env": {"API_TOKEN": "cred:TRACKER"}}}
#pragma once

#include <boost/json/object.hpp>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "appliance/hosting/agents/records.h"
#include "web/result.h"

namespace mcp_servers {

inline constexpr std::size_t max_servers = 8;
inline constexpr std::chrono::seconds longest_timeout{120};

struct ServerConfig {
  std::string name;
  std::string url;    // http or https; empty: it is a program
  std::string token;  // sent as Authorization: Bearer; may be empty
  std::vector<std::pair<std::string, std::string>> headers;
  // Of the box at the server's authority, for sign-ins (sign_ins.h); all may be empty.
  std::string client_id, client_secret, scope;
  std::string command;  // a program; empty: `package`
  std::string package;  // that the administrator has loaded
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::string> tools;  // those that the agent may use; empty: all
  std::chrono::seconds timeout{30};

  bool is_program() const { return url.empty(); }
  bool operator==(const ServerConfig&) const = default;
};

// What a box permits; unset: everything.
struct ServerRules {
  std::function<std::string()> why_no_programs;            // a sentence; empty: programs can be run
  std::function<bool(std::string_view name)> has_package;  // that was loaded
};
// invalid, naming the field ("config.mcpServers.weather.url").
web::Result<void> check_servers(const boost::json::object& servers, const ServerRules& rules = {});
// With the secrets of the agent's record. Servers that are turned off (enabled: false) or invalid by now are left out.
std::vector<ServerConfig> servers_of(const agents::Agent&);

}  // namespace mcp_servers
