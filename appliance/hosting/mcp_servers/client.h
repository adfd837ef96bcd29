// A client of one MCP server: protocol 2026-07-28, in which every request stands for itself, and the older form with a
// session (2025-11-25, 2025-06-18, 2025-03-26). Which one a server speaks is found out by asking.
#pragma once

#include <boost/json/object.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/hosting/mcp_servers/server_config.h"
#include "appliance/hosting/mcp_servers/transport.h"
#include "web/result.h"
#include "web/task.h"

namespace mcp_servers {

// What a tool does at its server. Besides the server's own there are four for its resources and prompts.
enum class ToolKind { call, list_resources, read_resource, list_prompts, get_prompt };

struct RemoteTool {
  std::string name, description;
  boost::json::object input_schema;
  bool is_read_only = false;  // as its server says (readOnlyHint)
  ToolKind kind = ToolKind::call;
};

// What a server asks the owner before it goes on.
struct Question {
  boost::json::object params;  // of elicitation/create
  // In the current form: what the call is repeated with. Empty: the call itself waits.
  boost::json::object retry;
};

struct ToolAnswer {
  std::string text;  // the texts of the answer; other content is named
  std::optional<boost::json::value> structured;
  bool is_error = false;             // the tool itself failed
  std::optional<Question> question;  // there is no answer before its own
};

struct ClientLimits {
  TransportLimits transport;
  std::chrono::milliseconds list_time{10'000}, program_list_time{18'000};  // a program may have to start first
  std::size_t max_tools = 64, max_pages = 5;
};

// Thread-safe. Errors are sentences with the server's name, and have no secrets.
class Client {
 public:
  Client(ServerConfig config, ClientLimits limits, std::unique_ptr<Transport> transport)
      : config_(std::move(config)), limits_(limits), transport_(std::move(transport)) {}

  const ServerConfig& config() const { return config_; }
  // Without those that the config does not name; at most `max_tools`.
  web::Task<web::Result<std::vector<RemoteTool>>> list_tools();
  // `ask`: see Call. `retry`: of the question that a call before has returned, with `reply`, the answer to it.
  web::Task<web::Result<ToolAnswer>> call_tool(RemoteTool, boost::json::object arguments, AskOwner ask = {},
                                               boost::json::object retry = {}, boost::json::object reply = {});

 private:
  web::Task<web::Result<boost::json::object>> request(Call, Clock::time_point deadline);
  web::Task<web::Result<Form>> form(Clock::time_point deadline);
  web::Task<web::Result<std::optional<Form>>> discover(Clock::time_point deadline);
  web::Task<web::Result<std::optional<Form>>> open_session(Clock::time_point deadline, bool is_last);
  web::Task<web::Result<Outcome>> exchange(const Form&, const Call&, Clock::time_point deadline,
                                           bool is_notification = false);
  web::Error failure(std::string_view why) const { return server_failure(config_.name, why); }
  web::Error failure(const Outcome&) const;
  void forget(const Form&);

  const ServerConfig config_;
  const ClientLimits limits_;
  const std::unique_ptr<Transport> transport_;
  std::mutex mutex_;  // protects what follows
  std::optional<Form> form_;
  std::int64_t last_id_ = 0;
};

// The headers of a call for the arguments that the tool's schema wants in headers (x-mcp-header).
web::FetchHeaders parameter_headers(const boost::json::object& schema, const boost::json::object& arguments);

}  // namespace mcp_servers
