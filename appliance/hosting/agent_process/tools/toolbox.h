// The agent's tools, and how calls of a model are run.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <string>
#include <vector>

#include "appliance/hosting/agent_process/memory.h"
#include "appliance/hosting/agent_process/repository.h"
#include "appliance/hosting/agent_process/tools/tool.h"
#include "appliance/hosting/agent_process/workspace.h"

namespace agent_process {

// The tools of one subject each; arguments must outlive them. `files` has one thread, which serializes access to Memory
// and Repository.
std::vector<Tool> page_tools(const std::string& summarizer_url, const std::string& box_token);
std::vector<Tool> file_tools(const Workspace&, boost::asio::thread_pool& files);
std::vector<Tool> memory_tools(Memory&, boost::asio::thread_pool& files);
std::vector<Tool> git_tools(Repository&, boost::asio::thread_pool& files);
std::vector<Tool> schedule_tools(const std::string& backend_url, const std::string& box_token);
std::vector<Tool> skill_tools(const Workspace&, boost::asio::thread_pool& files);
std::vector<Tool> message_tools(const std::string& backend_url, const std::string& agent, const std::string& box_token);
std::vector<Tool> feed_tools(const std::string& backend_url, const std::string& box_token);
std::vector<Tool> media_tools(const std::string& backend_url, const std::string& box_token);
std::vector<Tool> payment_tools(const std::string& backend_url, const std::string& box_token);

// Tools of others, which may change from turn to turn. Must not throw except when cancelled.
using ToolSource = std::function<web::Task<std::vector<Tool>>()>;
// Those of the MCP servers in the agent's config, which the box calls.
ToolSource mcp_tools(const std::string& backend_url, const std::string& box_token);

class Toolbox {
 public:
  struct Result {
    std::string content;  // JSON object as text, for the model; {"error": ...} when it failed; at most 32 KB
    bool failed = false;
  };

  explicit Toolbox(std::vector<Tool> tools, ToolSource more = {});

  const std::vector<models::ToolDefinition>& definitions() const { return definitions_; }
  // Replaces the tools of the source by those that it has now, without those whose name is taken. Not while a call is
  // run.
  web::Task<> refresh();
  // Never fails and throws only when cancelled: unknown tools, invalid arguments, and the tool's own errors and
  // exceptions are returned as a result, so that the model can correct its call.
  web::Task<Result> run(models::ToolCall) const;

 private:
  web::Task<web::Result<boost::json::value>> attempt(const models::ToolCall&) const;

  std::vector<Tool> tools_;  // the agent's own first
  const std::size_t own_;
  const ToolSource more_;
  std::vector<models::ToolDefinition> definitions_;
};

}  // namespace agent_process
