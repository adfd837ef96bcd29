// Commands of agents: for the agent itself, and for its owner.
#pragma once

#include <boost/json/object.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/commands/commands.h"
#include "appliance/hosting/gate/handlers.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace commands {

// Must outlive the rows.
struct Services {
  Commands& commands;
  gate::Gate& gate;
  const agents::AgentDirectory& agents;
  std::function<std::string()> why_not;                               // a sentence; empty: commands can be run
  std::function<runtime::CommandSpec(const agents::Agent&)> spec_of;  // without the text
  std::function<bool()> has_browser;                                  // whether agents can have one here
};

struct StartRequest {
  std::optional<web::List<web::Verbatim<0, 100'000>, 1, 1'000>> arguments;
  std::optional<web::Verbatim<1, 100'000>> shell;
  std::optional<web::Text<1, 1'000>> folder;
  std::optional<boost::json::object> environment;
  std::optional<web::Verbatim<0, 200'000>> input;
  std::optional<web::Integer<1, longest_time.count()>> timeoutSeconds;
  std::optional<bool> background;
  std::optional<gate::Reason> why;
};
BOOST_DESCRIBE_STRUCT(StartRequest, (), (arguments, shell, folder, environment, input, timeoutSeconds, background, why))

struct StartAnswer {
  std::string id;
};
BOOST_DESCRIBE_STRUCT(StartAnswer, (), (id))

struct OutputQuery {
  std::optional<web::Integer<0, std::int64_t(1) << 50>> from;
  std::optional<web::Integer<0, 25'000>> waitMs;
};
BOOST_DESCRIBE_STRUCT(OutputQuery, (), (from, waitMs))

struct OutputAnswer {
  std::string output;
  std::int64_t next = 0, dropped = 0;
  bool running = true;
  std::optional<std::int64_t> exitCode;
  std::optional<std::string> endedBecause;
  std::string startedAt;
  std::int64_t durationMs = 0;
};
BOOST_DESCRIBE_STRUCT(OutputAnswer, (), (output, next, dropped, running, exitCode, endedBecause, startedAt, durationMs))

struct InputRequest {
  web::Verbatim<0, 200'000> text;
  std::optional<bool> end;
};
BOOST_DESCRIBE_STRUCT(InputRequest, (), (text, end))

struct CommandItem {
  std::string id, title, startedAt;
  bool running = true;
  std::optional<std::int64_t> exitCode;
};
BOOST_DESCRIBE_STRUCT(CommandItem, (), (id, title, startedAt, running, exitCode))

struct CommandList {
  bool available = true;
  std::optional<std::string> reason;
  bool browser = false;  // the agent can have one
  std::vector<CommandItem> commands;
};
BOOST_DESCRIBE_STRUCT(CommandList, (), (available, reason, browser, commands))

// The gate's name for commands, and of what they bring in over the network.
inline constexpr auto gate_kind = "command", gate_source = "the network";
// Runs what an owner has allowed to its end; what runs in the background it starts.
gate::Executor gate_executor(Services);

// /api/agents/:id/commands, for the owner.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// /api/agent-commands, for the agent itself.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace commands
