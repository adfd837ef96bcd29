// The agent's tools, and how calls of a model are run.
#pragma once

#include <boost/asio/thread_pool.hpp>
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
std::vector<Tool> media_tools(const std::string& backend_url, const std::string& box_token);

class Toolbox {
 public:
  struct Result {
    std::string content;  // JSON object as text, for the model; {"error": ...} when it failed; at most 32 KB
    bool failed = false;
  };

  explicit Toolbox(std::vector<Tool> tools);

  const std::vector<models::ToolDefinition>& definitions() const { return definitions_; }
  // Never fails and throws only when cancelled: unknown tools, invalid arguments, and the tool's own errors and
  // exceptions are returned as a result, so that the model can correct its call.
  web::Task<Result> run(models::ToolCall) const;

 private:
  web::Task<web::Result<boost::json::value>> attempt(const models::ToolCall&) const;

  std::vector<Tool> tools_;
  std::vector<models::ToolDefinition> definitions_;
};

}  // namespace agent_process
