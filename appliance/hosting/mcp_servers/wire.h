// Answers of MCP servers: JSON, or server-sent events that end with the answer.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/hosting/mcp_servers/client.h"
#include "appliance/models/providers/sse.h"

namespace mcp_servers {

inline constexpr std::string_view current_version = "2026-07-28", session_version = "2025-11-25";

// Finds the JSON-RPC message that answers a request, in a body as it arrives.
class AnswerReader {
 public:
  explicit AnswerReader(std::int64_t id);

  void set_content_type(std::string_view);
  // False once the answer is there: a server may leave its stream open after it.
  bool feed(std::string_view bytes);
  // Once no more follows. Nothing if there was no answer.
  std::optional<boost::json::object> take();

 private:
  const std::int64_t id_;
  bool is_events_ = false;
  std::string body_;  // unless it is events
  models::EventReader events_;
  std::optional<boost::json::object> answer_;
};

// The tools of a result of tools/list. Those without a valid name or schema are left out.
std::vector<RemoteTool> tools_in(const boost::json::object& result);
// The answer of a result of tools/call.
ToolAnswer answer_in(const boost::json::object& result);

}  // namespace mcp_servers
