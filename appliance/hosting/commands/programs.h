// Programs that serve an agent for as long as they run, such as MCP servers: what starts and ends them, for other
// capabilities of the module. Set by the capability of commands while it is built.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "appliance/hosting/commands/commands.h"

namespace commands {

struct Programs {
  // A sentence; empty: this box can run them. Callable from every thread.
  std::function<std::string()> why_not;
  // As Commands::serve, for an agent that is to run: conflict if it is not. A terminal is its owner's, whom the rules
  // of the agent do not bind.
  std::function<web::Task<web::Result<std::string>>(std::string agent, Order, Follower)> serve;
  // As Commands::send, end and resize, on `home`.
  std::function<bool(const std::string& program, std::string_view text)> send;
  std::function<void(const std::string& program)> end;
  std::function<void(const std::string& program, runtime::TerminalSize)> resize;
};

}  // namespace commands
