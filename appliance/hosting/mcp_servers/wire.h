// What MCP servers say: their messages, and what is in their results.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/hosting/mcp_servers/client.h"
#include "appliance/models/providers/sse.h"

namespace mcp_servers {

inline constexpr std::string_view current_version = "2026-07-28", session_version = "2025-11-25";

// About this client.
boost::json::object client_info();
boost::json::object client_capabilities();
// A value as a header carries it: itself if it is visible ASCII, else =?base64?...?=.
std::string header_value(std::string_view);

// Finds the JSON-RPC message that answers a request, in a body as it arrives: JSON, or server-sent events that end with
// the answer. `other` gets the server's own requests and notifications before it.
class AnswerReader {
 public:
  using Other = std::function<void(boost::json::object)>;
  explicit AnswerReader(std::int64_t id, Other other = {});

  void set_content_type(std::string_view);
  // False once the answer is there: a server may leave its stream open after it.
  bool feed(std::string_view bytes);
  // Once no more follows. Nothing if there was no answer.
  std::optional<boost::json::object> take();

 private:
  const std::int64_t id_;
  const Other other_;
  bool is_events_ = false;
  std::string body_;  // unless it is events
  models::EventReader events_;
  std::optional<boost::json::object> answer_;
};

// The tools of a result of tools/list. Those without a valid name or schema are left out.
std::vector<RemoteTool> tools_in(const boost::json::object& result);
// Those that stand for the resources and for the prompts of a server.
std::vector<RemoteTool> resource_tools();
std::vector<RemoteTool> prompt_tools();

// The answers of results of tools/call, resources/list, resources/read, prompts/list and prompts/get.
ToolAnswer answer_in(const boost::json::object& result);
ToolAnswer resource_list_in(const boost::json::object& result);
ToolAnswer resource_in(const boost::json::object& result);
ToolAnswer prompt_list_in(const boost::json::object& result);
ToolAnswer prompt_in(const boost::json::object& result);

// Of a result that is not complete (input_required): what the call is repeated with. Nothing if it asks for something
// else than answers of the owner, or for too much.
std::optional<boost::json::object> retry_of(const boost::json::object& result);
// Adds the reply to the question before, if there was one, and returns the next that has none.
std::optional<Question> next_question(boost::json::object& retry, boost::json::object reply);
void add_retry(boost::json::object& params, const boost::json::object& retry);

}  // namespace mcp_servers
