// The tools of the MCP servers in the agent's config. The box speaks to the servers (hosting/mcp_servers): their
// secrets stay with it, and its address filter and limits apply.
#include <boost/json.hpp>

#include "appliance/hosting/agent_process/tools/toolbox.h"
#include "web/fetch.h"
#include "web/log.h"

namespace agent_process {

namespace json = boost::json;

namespace {

constexpr auto list_time = std::chrono::seconds(20),
               call_time = std::chrono::seconds(130);  // the box gives a call 120 s

struct RemoteTool {
  web::Text<1, 64> name;
  web::Prose<0, 4'000> description;
  json::object inputSchema;
};
BOOST_DESCRIBE_STRUCT(RemoteTool, (), (name, description, inputSchema))

struct RemoteTools {
  web::List<RemoteTool, 0, 200> tools;
};
BOOST_DESCRIBE_STRUCT(RemoteTools, (), (tools))

// Client of the box's /api/agent-mcp.
struct McpClient {
  std::string url, token;

  web::Task<web::Result<json::value>> call(std::string method, std::string path, json::object body,
                                           std::chrono::milliseconds time) const {
    web::FetchRequest request{.url = url + path, .method = std::move(method)};
    request.headers.emplace_back("Authorization", "Bearer " + token);
    if (!body.empty()) {
      request.headers.emplace_back("Content-Type", "application/json");
      request.body = json::serialize(body);
    }
    request.timeout = time;
    request.max_bytes = 4u << 20;
    const auto response = co_await web::fetch(std::move(request));
    if (!response) co_return web::unavailable("The box cannot be reached: " + response.error().message);
    auto answer = web::parse_json(response->body, "answer");
    if (!answer || !answer->is_object()) co_return web::unavailable("The box sent an answer that is not a JSON object");
    if (response->status < 300) co_return std::move(*answer);
    const auto* message = answer->get_object().if_contains("error");
    co_return web::invalid(message && message->is_string() ? std::string(message->get_string()) : "The box refused it");
  }
};

Tool tool_of(const McpClient& client, RemoteTool remote) {
  const std::string name = remote.name;
  auto schema = std::move(remote.inputSchema);
  schema["type"] = "object";
  if (!schema.contains("properties")) schema["properties"] = json::object();
  return {.definition = {.name = name,
                         .description = remote.description.empty() ? "A tool of an MCP server." : remote.description,
                         .parameters = std::move(schema)},
          .run = [client, name](json::value arguments) -> web::Task<web::Result<json::value>> {
            json::object body{{"name", name}};
            body["arguments"] = std::move(arguments);
            co_return co_await client.call("POST", "/call", std::move(body), call_time);
          }};
}

// Without an answer of the box there are none; the agent's own tools do not depend on it.
web::Task<std::vector<Tool>> tools_of(McpClient client) {
  std::vector<Tool> tools;
  json::object nothing;
  const auto answer = co_await client.call("GET", "/tools", std::move(nothing), list_time);
  auto listed = answer ? web::parse_value<RemoteTools>(*answer) : web::Result<RemoteTools>(answer.error());
  if (!listed) {
    web::log::warning("mcp_tools_not_listed", {{"reason", listed.error().message}});
    co_return tools;
  }
  for (auto& remote : listed->tools) tools.push_back(tool_of(client, std::move(remote)));
  co_return tools;
}

}  // namespace

ToolSource mcp_tools(const std::string& backend_url, const std::string& box_token) {
  return [client = McpClient{backend_url + "/api/agent-mcp", box_token}] { return tools_of(client); };
}

}  // namespace agent_process
