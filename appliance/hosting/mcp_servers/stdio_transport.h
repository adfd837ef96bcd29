// An MCP server that is a program of the agent's: JSON-RPC, one message a line, over its input and output. It runs as
// the agent's commands do (hosting/commands), is started when it is first used, and again, after a pause that grows,
// when it has ended.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/hosting/commands/programs.h"
#include "appliance/hosting/mcp_servers/server_config.h"
#include "appliance/hosting/mcp_servers/transport.h"

namespace mcp_servers {

// What the box does for such a program. `programs` must outlive the transport.
struct ProgramHost {
  const commands::Programs& programs;
  std::string agent;
  // The program with its arguments, or why there is none.
  std::function<web::Result<std::vector<std::string>>()> command_line;
  // A line that the program wrote to standard error, or a fact about it, for the agent's log. Called on `home`.
  std::function<void(std::string_view line)> log;
};

// exchange() may be called on every thread and works on `home`, where the programs' calls arrive. The program ends with
// the transport.
std::unique_ptr<Transport> stdio_transport(ServerConfig, TransportLimits, ProgramHost, boost::asio::io_context& home,
                                           Notified);

}  // namespace mcp_servers
