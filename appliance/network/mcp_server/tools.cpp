#include "appliance/network/mcp_server/tools.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "web/client/fetch.h"
#include "web/routes/fields.h"

namespace mcp_server {

namespace {

namespace json = boost::json;

constexpr std::chrono::seconds page_time{20};
constexpr std::string_view summarize_page = "summarize_page";

// clang-format off
constexpr std::array marked{
    MarkedRow{"list_agents", "List agents", web::GET, "/api/agents", true},
    MarkedRow{"show_agent", "Show an agent", web::GET, "/api/agents/:id", true, false, "agentId"},
    MarkedRow{"start_agent", "Start an agent", web::POST, "/api/instance/:userId/start", false, false, "agentId", "",
              "Start an agent."},
    MarkedRow{"stop_agent", "Stop an agent", web::POST, "/api/instance/:userId/stop", false, true, "agentId", "",
              "Stop an agent. What it is doing is cut off."},
    MarkedRow{"restart_agent", "Restart an agent", web::POST, "/api/instance/:userId/restart", false, true, "agentId",
              "", "Stop and start an agent."},
    MarkedRow{"send_message", "Send a message", web::POST, "/api/chat", false, false, "", "stream",
              "Send a message to an agent and wait for its answer."},
    MarkedRow{"read_conversation", "Read a conversation", web::GET, "/api/chat", true},
    MarkedRow{"read_memory", "Read an agent's memory", web::GET, "/api/memory", true},
    MarkedRow{"add_memory", "Add to an agent's memory", web::POST, "/api/memory"},
    MarkedRow{"list_files", "List an agent's files", web::GET, "/api/files", true},
    MarkedRow{"list_schedules", "List scheduled prompts", web::GET, "/api/scheduled-tasks", true},
    MarkedRow{"show_schedule", "Show a scheduled prompt", web::GET, "/api/scheduled-tasks/:taskId", true, false,
              "taskId"},
    MarkedRow{"list_runs", "List runs", web::GET, "/api/scheduled-tasks/:taskId/runs", true, false, "taskId"},
    MarkedRow{"create_schedule", "Schedule a prompt", web::POST, "/api/scheduled-tasks"},
    MarkedRow{"change_schedule", "Change a scheduled prompt", web::PUT, "/api/scheduled-tasks", false, true},
    MarkedRow{"run_schedule", "Run a scheduled prompt now", web::POST, "/api/scheduled-tasks/:taskId/run", false, false,
              "taskId"},
    MarkedRow{"delete_schedule", "Delete a scheduled prompt", web::DELETE, "/api/scheduled-tasks", false, true},
    MarkedRow{"show_costs", "Show costs", web::GET, "/api/dashboard/cost", true},
    MarkedRow{"list_model_calls", "List model calls", web::GET, "/api/dashboard/calls", true},
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

ToolResult failure(std::string message) {
  return {.content = json::object{{"error", std::move(message)}}, .is_error = true};
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
    if (is_allowed(allowance, tool.mark().name, tool.mark().is_read_only)) listed.push_back(tool.definition());
  if (is_allowed(allowance, summarize_page, true)) listed.push_back(summarize_definition());
  std::ranges::sort(listed, {}, [](const json::value& tool) {
    const auto& name = tool.at("name").as_string();
    return std::string_view(name);
  });
  return listed;
}

web::Task<std::optional<ToolResult>> Tools::call(std::string name, const web::Request& request, Allowance allowance,
                                                 json::object arguments) const {
  if (name == summarize_page && is_allowed(allowance, name, true))
    co_return co_await summarize(request, std::move(arguments));
  const auto tool = std::ranges::find_if(tools_, [&](const RowTool& one) { return one.mark().name == name; });
  if (tool == tools_.end() || !is_allowed(allowance, name, tool->mark().is_read_only)) co_return std::nullopt;
  co_return co_await tool->call(request, std::move(arguments));
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
