// A row of the web listener's table as a tool: its arguments are the row's path parameter, and its query or body.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "web/routes/route.h"

namespace mcp_server {

// What a tool is about: decides what an agent may do with it that reaches itself alone.
enum class Concern {
  agent,    // the one that `agentId` names
  agents,   // all of the user
  task,     // the scheduled prompt that `taskId` names
  account,  // everything of the user
};

// Which row is offered, and how.
struct MarkedRow {
  Concern concern = Concern::account;
  std::string_view name, title;
  web::Method method = web::GET;
  std::string_view path;
  bool is_read_only = false;
  bool is_destructive = false;
  std::string_view path_argument = {};  // what the tool calls the parameter of the path
  std::string_view left_out = {};       // a field of the row that the tool does not have
  std::string_view description = {};    // in place of the row's own
};

struct ToolResult {
  boost::json::value content;  // what the row answered
  bool is_error = false;
};

class RowTool {
 public:
  // Both must outlive this; the row's patterns are the web listener's.
  RowTool(const MarkedRow& mark, const web::Route& row);

  const MarkedRow& mark() const { return mark_; }
  // As tools/list has it.
  boost::json::object definition() const;
  // Calls the row as `outer` would, for the same user, without the rights of an administrator; `caller.agent` is the
  // agent that acts for its owner, if it is one. The row's own errors, also about its arguments, are results for the
  // model.
  web::Task<ToolResult> call(const web::Request& outer, boost::json::object arguments) const;

 private:
  boost::json::object input_schema() const;

  const MarkedRow& mark_;
  const web::Route& row_;
  std::string parameter_;  // of the path, without its colon; empty: none
};

}  // namespace mcp_server
