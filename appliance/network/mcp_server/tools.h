// The tools that the box offers to MCP clients: marked rows of the web listener, and the summarizer.
#pragma once

#include <boost/json.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/network/mcp_server/row_tool.h"
#include "web/routes/route.h"

namespace mcp_server {

// Which tools a caller may use besides those that only read.
struct Allowance {
  std::vector<std::string> tools;  // "*": all
  // Without a list of its own, a key has the tools that only read.
  bool adds_to_reading = true;
  // An agent that reaches no other one of its owner: what is about others does not exist for it, and what is about all
  // of them, or the account, is no tool of it.
  std::optional<std::string> only_agent{};
};

class Tools {
 public:
  // Throws std::logic_error if a marked row is not in the table. `summarizer_url` is asked when a page is summarized.
  Tools(std::vector<web::Route> rows, std::function<std::string()> summarizer_url);

  // Those of the allowance, by name.
  boost::json::array list(const Allowance&) const;
  // Nothing: the caller has no tool of this name.
  web::Task<std::optional<ToolResult>> call(std::string name, const web::Request&, Allowance,
                                            boost::json::object arguments) const;

 private:
  const RowTool* find(std::string_view name) const;  // null: there is none
  web::Task<ToolResult> call_for(std::string agent, const RowTool&, const web::Request&,
                                 boost::json::object arguments) const;
  web::Task<ToolResult> summarize(const web::Request&, boost::json::object arguments) const;

  const std::vector<web::Route> rows_;
  const std::function<std::string()> summarizer_url_;
  std::vector<RowTool> tools_;  // refer to rows_
};

}  // namespace mcp_server
