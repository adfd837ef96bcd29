// The agent's tools, and how calls of a model are run.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <string>
#include <vector>

#include "appliance/agent/conversation.h"
#include "appliance/agent/memory.h"
#include "appliance/agent/repository.h"
#include "appliance/agent/semantic_search.h"
#include "appliance/agent/tools/tool.h"
#include "appliance/agent/workspace.h"

namespace agent_process {

// The tools of one subject each; arguments must outlive them. `files` has one thread, which serializes access to Memory
// and Repository.
std::vector<Tool> page_tools(const std::string& summarizer_url, const std::string& box_token);
std::vector<Tool> search_tools(const std::string& backend_url, const std::string& box_token);
std::vector<Tool> file_tools(const Workspace&, boost::asio::thread_pool& files);
std::vector<Tool> edit_tools(const Workspace&, boost::asio::thread_pool& files);
std::vector<Tool> document_tools(const std::string& backend_url, const std::string& box_token);
// `meaning` finds facts by their meaning besides their words; null: by words alone.
std::vector<Tool> memory_tools(Memory&, boost::asio::thread_pool& files, SemanticSearch* meaning = nullptr);
// `search` is called on `files`. `speaker`: with whom the agent speaks, "owner" or "user".
using HistorySearch = std::function<std::vector<HistoryMatch>(std::string_view words, std::size_t limit)>;
std::vector<Tool> history_tools(HistorySearch search, boost::asio::thread_pool& files, std::string speaker);
std::vector<Tool> git_tools(Repository&, boost::asio::thread_pool& files);
std::vector<Tool> schedule_tools(const std::string& backend_url, const std::string& box_token);
std::vector<Tool> skill_tools(const Workspace&, boost::asio::thread_pool& files);
std::vector<Tool> message_tools(const std::string& backend_url, const std::string& agent, const std::string& box_token);
std::vector<Tool> feed_tools(const std::string& backend_url, const std::string& box_token);
std::vector<Tool> media_tools(const std::string& backend_url, const std::string& box_token);
std::vector<Tool> payment_tools(const std::string& backend_url, const std::string& box_token);
std::vector<Tool> owner_tools(const std::string& backend_url, const std::string& box_token);

// The same tools; those that use files or memory report it to the box first (POST /api/agent-gate/files), and fail
// without having done anything if it does not take the report.
std::vector<Tool> report_files(std::vector<Tool>, const std::string& backend_url, const std::string& box_token);

// Tools of others, which may change from turn to turn. Must not throw except when cancelled.
using ToolSource = std::function<web::Task<std::vector<Tool>>()>;
// Those of the MCP servers in the agent's config, which the box calls.
ToolSource mcp_tools(const std::string& backend_url, const std::string& box_token);
// Those for commands, where the box runs them.
ToolSource command_tools(const std::string& backend_url, const std::string& box_token, const Workspace&,
                         boost::asio::thread_pool& files);
// Those for the agent's browser, where the box runs one.
ToolSource browser_tools(const std::string& backend_url, const std::string& box_token, const Workspace&,
                         boost::asio::thread_pool& files);

// Replaces a long result, given as value and as text, by its ends and the name of the file that has all of it. Returns
// the text unchanged where that cannot be done. Must not throw except when cancelled.
using ResultKeeper =
    std::function<web::Task<std::string>(std::string tool, boost::json::value result, std::string content)>;
// Keeps them in the workspace, at most 100 files of 4 MB in total, the newest ones.
ResultKeeper result_keeper(const Workspace&, boost::asio::thread_pool& files);

class Toolbox {
 public:
  struct Result {
    std::string content;  // JSON object as text, for the model; {"error": ...} when it failed; at most 32 KB
    bool failed = false;
  };

  explicit Toolbox(std::vector<Tool> tools, ToolSource more = {}, ResultKeeper keeper = {});
  Toolbox(const Toolbox&) = delete;
  Toolbox& operator=(const Toolbox&) = delete;

  // More than this many of the source are not sent to the model with every call: it searches them with find_tools, and
  // those that it has found are sent from then on, until the next refresh().
  static constexpr std::size_t max_sent = 30;

  std::vector<models::ToolDefinition> definitions() const;
  // Replaces the tools of the source by those that it has now, without those whose name is taken. Not while a call is
  // run.
  web::Task<> refresh();
  // Never fails and throws only when cancelled: unknown tools, invalid arguments, and the tool's own errors and
  // exceptions are returned as a result, so that the model can correct its call.
  web::Task<Result> run(models::ToolCall, ToolOutput output = {}) const;

 private:
  web::Task<web::Result<boost::json::value>> attempt(const models::ToolCall&, ToolOutput) const;

  bool is_searched() const { return tools_.size() - own_ > max_sent; }
  const Tool* find(std::string_view name) const;
  Tool search_tool();

  std::vector<Tool> tools_;  // the agent's own first
  const std::size_t own_;
  const ToolSource more_;
  const ResultKeeper keeper_;
  std::vector<std::string> found_;  // of the source's, by find_tools
  const Tool search_;
};

}  // namespace agent_process
