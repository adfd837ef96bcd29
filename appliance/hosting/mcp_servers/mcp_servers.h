// The MCP servers of agents: one client for each, with the tools that it last listed.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/mcp_servers/client.h"

namespace mcp_servers {

// A tool as an agent knows it.
struct ExposedTool {
  std::string name;  // <server>__<tool>, at most 64 letters, digits, '-' and '_'
  std::string server;
  RemoteTool tool;
};

struct ServerStatus {
  std::string name, url;
  std::vector<ExposedTool> tools;
  std::string error;  // empty: it answered
};

// Thread-safe. The directory must outlive it.
class McpServers {
 public:
  McpServers(const agents::AgentDirectory& agents, ClientLimits limits) : agents_(agents), limits_(limits) {}

  // Asks the servers at once; answers of the last minute count. not_found.
  web::Task<web::Result<std::vector<ServerStatus>>> look(store::UserId, std::string agent);
  // not_found: no such agent or tool; bad_gateway: its server does not answer.
  web::Task<web::Result<ExposedTool>> find_tool(store::UserId, std::string agent, std::string tool);
  // not_found: no such agent or tool; the errors of Client::call_tool.
  web::Task<web::Result<ToolAnswer>> call(store::UserId, std::string agent, std::string tool,
                                          boost::json::object arguments);
  // For Events::agent_removed.
  void forget(const std::string& agent);

 private:
  struct Server {
    Server(ServerConfig config, const ClientLimits& limits, web::CallOrigin origin)
        : client(std::move(config), limits, std::move(origin)) {}
    Client client;
    std::mutex mutex;  // protects what follows
    std::vector<ExposedTool> tools;
    std::string error;
    std::chrono::steady_clock::time_point valid_until{};
  };
  using ServerPtr = std::shared_ptr<Server>;
  struct Found {
    ServerPtr server;
    ExposedTool tool;
  };

  web::Task<web::Result<Found>> find(store::UserId, std::string agent, std::string tool);

  // Those of its config as it is now.
  std::vector<ServerPtr> servers_of(const agents::Agent&);
  static web::Task<ServerStatus> status_of(ServerPtr);

  const agents::AgentDirectory& agents_;
  const ClientLimits limits_;
  std::mutex mutex_;                                       // protects servers_
  std::map<std::string, std::vector<ServerPtr>> servers_;  // by agent
};

// The name under which an agent has a tool.
std::string exposed_name(std::string_view server, std::string_view tool);

}  // namespace mcp_servers
