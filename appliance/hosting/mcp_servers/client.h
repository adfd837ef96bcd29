// A client of one MCP server over HTTP: protocol 2026-07-28, in which every request stands for itself, and the older
// form with a session (2025-11-25, 2025-06-18, 2025-03-26). Which one a server speaks is found out by asking.
#pragma once

#include <boost/json/object.hpp>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/hosting/mcp_servers/server_config.h"
#include "web/client/fetch.h"
#include "web/result.h"
#include "web/task.h"

namespace mcp_servers {

struct RemoteTool {
  std::string name, description;
  boost::json::object input_schema;
  bool is_read_only = false;  // as its server says (readOnlyHint)
};

struct ToolAnswer {
  std::string text;  // the texts of the answer; other content is named
  std::optional<boost::json::value> structured;
  bool is_error = false;  // the tool itself failed
};

struct ClientLimits {
  web::Reach reach = web::Reach::public_only;
  std::chrono::milliseconds list_time{10'000};
  std::size_t max_answer_bytes = 1u << 20;
  std::size_t max_tools = 64, max_pages = 5;
};

// Thread-safe. Errors are sentences with the server's name, and have no secrets.
class Client {
 public:
  Client(ServerConfig config, ClientLimits limits, web::CallOrigin origin)
      : config_(std::move(config)), limits_(limits), origin_(std::move(origin)) {}

  const ServerConfig& config() const { return config_; }
  // Without those that the config does not name; at most `max_tools`.
  web::Task<web::Result<std::vector<RemoteTool>>> list_tools();
  web::Task<web::Result<ToolAnswer>> call_tool(RemoteTool, boost::json::object arguments);

 private:
  using Deadline = std::chrono::steady_clock::time_point;
  // How the server is spoken to.
  struct Form {
    bool has_session = false;  // the older form
    std::string version;       // of the protocol
    std::string session;       // Mcp-Session-Id; empty: the server has none
  };
  struct Call {
    std::string method;
    boost::json::object params;
    std::string name;           // of the tool
    web::FetchHeaders headers;  // Mcp-Param-*
  };
  // An answer to one request: a result, or why there is none.
  struct Outcome {
    int status = 0;
    std::string session;
    std::optional<boost::json::object> result;
    std::int64_t code = 0;  // of a JSON-RPC error
    std::string message;
  };

  web::Task<web::Result<boost::json::object>> request(Call, Deadline);
  web::Task<web::Result<Form>> form(Deadline);
  web::Task<web::Result<std::optional<Form>>> discover(Deadline);
  web::Task<web::Result<Form>> open_session(Deadline);
  web::Task<web::Result<Outcome>> post(const Form&, const Call&, Deadline, bool is_notification = false);
  web::FetchRequest message(const Form&, const Call&, std::int64_t id, bool is_notification) const;
  web::Error failure(std::string_view why) const;
  void forget(const Form&);

  const ServerConfig config_;
  const ClientLimits limits_;
  const web::CallOrigin origin_;
  std::mutex mutex_;  // protects what follows
  std::optional<Form> form_;
  std::int64_t last_id_ = 0;
};

// The headers of a call for the arguments that the tool's schema wants in headers (x-mcp-header).
web::FetchHeaders parameter_headers(const boost::json::object& schema, const boost::json::object& arguments);
// A value as a header carries it: itself if it is visible ASCII, else =?base64?...?=.
std::string header_value(std::string_view);

}  // namespace mcp_servers
