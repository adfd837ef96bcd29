// The Model Context Protocol over HTTP: versions, headers and errors of one request. 2026-07-28 is stateless and says
// everything in each request; earlier versions begin with `initialize`.
#pragma once

#include <boost/describe.hpp>
#include <boost/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "web/protocol/http.h"
#include "web/routes/fields.h"

namespace mcp_server {

inline constexpr std::string_view stateless_version = "2026-07-28";
// Newest first.
inline constexpr std::string_view session_versions[] = {"2025-11-25", "2025-06-18", "2025-03-26"};

// The codes of JSON-RPC and of MCP.
enum class Code {
  parse_error = -32700,
  invalid_request = -32600,
  unknown_method = -32601,
  invalid_params = -32602,
  header_mismatch = -32020,
  unsupported_version = -32022
};

// What every message has; a request also has `id`, and most have `params`.
struct RpcMessage {
  web::Text<1, 10> jsonrpc;
  web::Text<1, 100> method;
};
BOOST_DESCRIBE_STRUCT(RpcMessage, (), (jsonrpc, method))

struct Message {
  boost::json::value id;  // null: a notification
  std::string method;
  boost::json::object params;
  bool is_stateless = false;  // of 2026-07-28
};

struct ProtocolError {
  int status = 400;
  Code code = Code::invalid_request;
  std::string text;
  boost::json::value id, data;
};

// What a request says, or why it is refused.
struct Parsed {
  Message message;
  std::optional<ProtocolError> error;
};
Parsed parse_message(const web::Request&);

inline constexpr std::size_t max_batch = 50;
// The messages of a batch, which 2025-03-26 has: at most max_batch, none of them `initialize`. Nothing: the body is no
// list, or its version has no batches.
std::optional<std::vector<Parsed>> parse_batch(const web::Request&);

// The version that `initialize` agrees on.
std::string negotiated_version(const boost::json::object& params);

web::Response error_response(const ProtocolError&);
web::Response result_response(const Message&, boost::json::object result);
// 202, for notifications.
web::Response accepted();

}  // namespace mcp_server
