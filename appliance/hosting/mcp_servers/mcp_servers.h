// The MCP servers of agents: one client for each, with the tools that it last listed, and the calls that wait for an
// answer of the owner.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "appliance/foundation/task_group.h"
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
  std::string name, url, command;  // one of the latter is empty
  std::vector<ExposedTool> tools;
  std::string error;           // empty: it answered
  bool wants_sign_in = false;  // that is the error
  ServerConfig config;
};

// How the owner's question stands that a call waits for.
enum class QuestionState { open, refused, gone };

struct CallRequested {
  store::UserId user = 0;
  std::string agent, tool;
  boost::json::object arguments;
};
// A call that has asked its owner goes on with the answer.
struct Resumption {
  std::string waiting{};        // Called::waiting
  boost::json::object retry{};  // Question::retry, if there is none
  boost::json::object reply{};
};

// Thread-safe. Calls work on `home`.
class McpServers {
 public:
  // Makes what reaches a server of an agent.
  using Connect = std::function<std::unique_ptr<Transport>(const agents::Agent&, const ServerConfig&, Notified)>;
  // All must outlive it.
  McpServers(const agents::AgentDirectory& agents, ClientLimits limits, boost::asio::io_context& home, Connect connect)
      : agents_(agents), limits_(limits), home_(home), connect_(std::move(connect)), tasks_(home, "mcp_call_failed") {}

  // Asks the servers at once; answers of the last minute count. not_found.
  web::Task<web::Result<std::vector<ServerStatus>>> look(store::UserId, std::string agent);
  // not_found: no such agent or tool; bad_gateway: its server does not answer.
  web::Task<web::Result<ExposedTool>> find_tool(store::UserId, std::string agent, std::string tool);

  struct Called {
    ToolAnswer answer;
    std::string waiting;  // with a question: the call that waits for its answer; empty: it is repeated
  };
  // not_found: no such agent or tool; the errors of Client::call_tool; conflict: the call waits no longer.
  web::Task<web::Result<Called>> call(CallRequested, Resumption = {});
  // How the question stands that the call `waiting` has asked. Without this it is given up after half a minute.
  void watch(const std::string& waiting, std::function<QuestionState()>);

  // What the config of an agent says of one of its servers. not_found.
  web::Result<ServerConfig> config_of(store::UserId, const std::string& agent, std::string_view server) const;
  // A sign-in has begun or ended: the server is asked again.
  void refresh(const std::string& agent, std::string_view server);

  // For Events::agent_removed.
  void forget(const std::string& agent);
  // Called on home.
  web::Task<> stop();

 private:
  struct Server {
    explicit Server(ServerConfig given) : config(std::move(given)) {}
    const ServerConfig config;
    std::unique_ptr<Client> client;
    std::mutex mutex;  // protects what follows
    std::vector<ExposedTool> tools;
    std::string error;
    bool wants_sign_in = false;
    std::chrono::steady_clock::time_point valid_until{};
  };
  using ServerPtr = std::shared_ptr<Server>;
  struct Found {
    ServerPtr server;
    ExposedTool tool;
  };
  struct Waiting;
  using WaitingPtr = std::shared_ptr<Waiting>;

  web::Task<web::Result<Found>> find(store::UserId, std::string agent, std::string tool);
  web::Task<web::Result<Called>> call_at_home(CallRequested, Resumption);
  web::Task<web::Result<Called>> outcome_of(WaitingPtr);
  static web::Task<> run(ServerPtr, RemoteTool, boost::json::object arguments, Resumption, WaitingPtr);
  static web::Task<boost::json::object> ask_owner(std::weak_ptr<Waiting>, boost::json::object params);

  // Those of its config as it is now.
  std::vector<ServerPtr> servers_of(const agents::Agent&);
  ServerPtr make_server(const agents::Agent&, ServerConfig) const;
  static web::Task<ServerStatus> status_of(ServerPtr);

  const agents::AgentDirectory& agents_;
  const ClientLimits limits_;
  boost::asio::io_context& home_;
  const Connect connect_;
  bool is_stopping_ = false;                               // used on home
  std::mutex mutex_;                                       // protects what follows
  std::map<std::string, std::vector<ServerPtr>> servers_;  // by agent
  std::map<std::string, WaitingPtr> waiting_;              // calls with a question, by id
  agentbox::TaskGroup tasks_;
};

// The name under which an agent has a tool.
std::string exposed_name(std::string_view server, std::string_view tool);

}  // namespace mcp_servers
