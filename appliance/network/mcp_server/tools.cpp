#include "appliance/network/mcp_server/tools.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "web/client/fetch.h"
#include "web/json.h"
#include "web/routes/fields.h"

namespace mcp_server {

namespace {

namespace json = boost::json;

constexpr std::chrono::seconds page_time{20};
constexpr std::string_view summarize_page = "summarize_page", show_schedule = "show_schedule";
constexpr const char* agent_argument = "agentId";
constexpr const char* task_argument = "taskId";

// clang-format off
constexpr std::array marked{
    MarkedRow{Concern::agents, "list_agents", "List agents", web::GET, "/api/agents", true},
    MarkedRow{Concern::agent, "show_agent", "Show an agent", web::GET, "/api/agents/:id", true, false, "agentId"},
    MarkedRow{Concern::agent, "start_agent", "Start an agent", web::POST, "/api/instance/:userId/start", false, false, "agentId", "",
              "Start an agent."},
    MarkedRow{Concern::agent, "stop_agent", "Stop an agent", web::POST, "/api/instance/:userId/stop", false, true, "agentId", "",
              "Stop an agent. What it is doing is cut off."},
    MarkedRow{Concern::agent, "restart_agent", "Restart an agent", web::POST, "/api/instance/:userId/restart", false, true, "agentId",
              "", "Stop and start an agent."},
    MarkedRow{Concern::agent, "send_message", "Send a message", web::POST, "/api/chat", false, false, "", "stream",
              "Send a message to an agent and wait for its answer."},
    MarkedRow{Concern::agent, "read_conversation", "Read a conversation", web::GET, "/api/chat", true},
    MarkedRow{Concern::agent, "read_memory", "Read an agent's memory", web::GET, "/api/memory", true},
    MarkedRow{Concern::agent, "add_memory", "Add to an agent's memory", web::POST, "/api/memory"},
    MarkedRow{Concern::agent, "list_files", "List an agent's files", web::GET, "/api/files", true},
    MarkedRow{Concern::agent, "list_schedules", "List scheduled prompts", web::GET, "/api/scheduled-tasks", true},
    MarkedRow{Concern::task, "show_schedule", "Show a scheduled prompt", web::GET, "/api/scheduled-tasks/:taskId", true, false,
              "taskId"},
    MarkedRow{Concern::task, "list_runs", "List runs", web::GET, "/api/scheduled-tasks/:taskId/runs", true, false, "taskId"},
    MarkedRow{Concern::agent, "create_schedule", "Schedule a prompt", web::POST, "/api/scheduled-tasks"},
    MarkedRow{Concern::task, "change_schedule", "Change a scheduled prompt", web::PUT, "/api/scheduled-tasks", false, true},
    MarkedRow{Concern::task, "run_schedule", "Run a scheduled prompt now", web::POST, "/api/scheduled-tasks/:taskId/run", false, false,
              "taskId"},
    MarkedRow{Concern::task, "delete_schedule", "Delete a scheduled prompt", web::DELETE, "/api/scheduled-tasks", false, true},
    MarkedRow{Concern::account, "show_costs", "Show costs", web::GET, "/api/dashboard/cost", true},
    MarkedRow{Concern::account, "list_model_calls", "List model calls", web::GET, "/api/dashboard/calls", true},
};
// clang-format on

struct Page {
  web::Text<1, 2'000> url;
};
BOOST_DESCRIBE_STRUCT(Page, (), (url))

json::object summarize_definition() {
  return {{"name", summarize_page},
          {"title", "Summarize a web page"},
          {"description", "Fetch a public web page and return its title, description, headings and main paragraphs."},
          {"inputSchema", web::schema_of<Page>()},
          {"annotations", json::object{{"readOnlyHint", true}, {"destructiveHint", false}, {"openWorldHint", true}}}};
}

bool is_allowed(const Allowance& allowance, std::string_view name, bool is_read_only) {
  if (is_read_only && allowance.adds_to_reading) return true;
  return std::ranges::any_of(allowance.tools, [&](const std::string& one) { return one == "*" || one == name; });
}

bool is_allowed(const Allowance& allowance, const MarkedRow& mark) {
  if (allowance.only_agent && mark.concern == Concern::account) return false;
  return is_allowed(allowance, mark.name, mark.is_read_only);
}

ToolResult failure(std::string message) {
  return {.content = json::object{{"error", std::move(message)}}, .is_error = true};
}

// Of a list of agents, the one.
ToolResult only(const std::string& agent, ToolResult listed) {
  auto* content = listed.content.if_object();
  auto* agents = content ? content->if_contains("agents") : nullptr;
  if (listed.is_error || !agents || !agents->is_array()) return failure("The list of agents cannot be read");
  json::array own;
  for (auto& one : agents->get_array())
    if (one.is_object() && web::string_member(one.get_object(), "id") == agent) own.push_back(std::move(one));
  return {.content = json::object{{"agents", std::move(own)}}};
}

}  // namespace

Tools::Tools(std::vector<web::Route> rows, std::function<std::string()> summarizer_url)
    : rows_(std::move(rows)), summarizer_url_(std::move(summarizer_url)) {
  for (const auto& mark : marked) {
    const auto row = std::ranges::find_if(
        rows_, [&](const web::Route& one) { return one.method == mark.method && one.path == mark.path; });
    if (row == rows_.end()) throw std::logic_error("no row for the tool " + std::string(mark.name));
    tools_.emplace_back(mark, *row);
  }
}

json::array Tools::list(const Allowance& allowance) const {
  json::array listed;
  for (const auto& tool : tools_)
    if (is_allowed(allowance, tool.mark())) listed.push_back(tool.definition());
  if (is_allowed(allowance, summarize_page, true)) listed.push_back(summarize_definition());
  std::ranges::sort(listed, {}, [](const json::value& tool) {
    const auto& name = tool.at("name").as_string();
    return std::string_view(name);
  });
  return listed;
}

const RowTool* Tools::find(std::string_view name) const {
  const auto tool = std::ranges::find_if(tools_, [&](const RowTool& one) { return one.mark().name == name; });
  return tool == tools_.end() ? nullptr : &*tool;
}

web::Task<std::optional<ToolResult>> Tools::call(std::string name, const web::Request& request, Allowance allowance,
                                                 json::object arguments) const {
  if (name == summarize_page && is_allowed(allowance, name, true))
    co_return co_await summarize(request, std::move(arguments));
  const auto* tool = find(name);
  if (!tool || !is_allowed(allowance, tool->mark())) co_return std::nullopt;
  if (allowance.only_agent) co_return co_await call_for(*allowance.only_agent, *tool, request, std::move(arguments));
  co_return co_await tool->call(request, std::move(arguments));
}

// For an agent that reaches itself alone: what it leaves out is its own, and others' do not exist.
web::Task<ToolResult> Tools::call_for(std::string agent, const RowTool& tool, const web::Request& request,
                                      json::object arguments) const {
  switch (tool.mark().concern) {
    case Concern::agents:
      co_return only(agent, co_await tool.call(request, {}));
    case Concern::agent:
      if (arguments.contains(agent_argument) && web::string_member(arguments, agent_argument) != agent)
        co_return failure("No such agent");
      arguments[agent_argument] = agent;
      break;
    case Concern::task: {
      json::object which{{task_argument, web::string_member(arguments, task_argument)}};
      const auto shown = co_await find(show_schedule)->call(request, std::move(which));
      if (shown.is_error) co_return shown;
      if (web::string_member(shown.content.as_object(), agent_argument) != agent) co_return failure("No such task");
      break;
    }
    case Concern::account:
      co_return failure("This is about all agents");
  }
  co_return co_await tool.call(request, std::move(arguments));
}

// Through the summarizer's own listener, with its limits; an agent's token has it apply the agent's egress.
web::Task<ToolResult> Tools::summarize(const web::Request& outer, json::object arguments) const {
  const auto page = web::parse_value<Page>(json::value(std::move(arguments)));
  if (!page) co_return failure(page.error().message);
  web::FetchRequest request{.url = summarizer_url_() + "/api/summarize", .method = "POST"};
  request.headers.emplace_back("Content-Type", "application/json");
  if (!outer.caller.agent.empty())
    request.headers.emplace_back("Authorization", std::string(outer.header("authorization")));
  request.body = json::serialize(json::object{{"url", page->url}});
  request.reach = web::Reach::own;
  request.timeout = page_time;
  const auto response = co_await web::fetch(std::move(request));
  if (!response) co_return failure("The summarizer gave no answer: " + response.error().message);
  auto content = web::parse_json(response->body, "The summarizer's answer");
  if (!content) co_return failure(content.error().message);
  co_return ToolResult{.content = std::move(*content), .is_error = response->status != 200};
}

}  // namespace mcp_server
