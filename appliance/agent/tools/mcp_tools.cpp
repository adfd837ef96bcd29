// The tools of the MCP servers in the agent's config. The box speaks to the servers (hosting/mcp_servers): their
// secrets stay with it, and its address filter and limits apply.
#include <boost/json.hpp>

#include "appliance/agent/tools/box_client.h"
#include "appliance/agent/tools/toolbox.h"
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

// It does not reach the server. A tool with a parameter of that name keeps it.
constexpr auto reason_name = "why";
bool add_reason(json::object& properties) {
  if (properties.contains(reason_name)) return false;
  properties[reason_name] = {{"type", "string"},
                             {"description", "A sentence for your owner, who may have to allow the call."}};
  return true;
}

Tool tool_of(const BoxClient& box, RemoteTool remote) {
  const std::string name = remote.name;
  auto schema = std::move(remote.inputSchema);
  schema["type"] = "object";
  if (!schema.contains("properties")) schema["properties"] = json::object();
  auto* properties = schema.at("properties").if_object();
  const bool has_reason = properties && add_reason(*properties);
  return {.definition = {.name = name,
                         .description = remote.description.empty() ? "A tool of an MCP server." : remote.description,
                         .parameters = std::move(schema)},
          .run = [box, name, has_reason](json::value arguments) -> web::Task<web::Result<json::value>> {
            json::object body{{"name", name}};
            if (auto* given = has_reason ? arguments.get_object().if_contains(reason_name) : nullptr) {
              if (given->is_string()) body["why"] = std::move(*given);
              arguments.get_object().erase(reason_name);
            }
            body["arguments"] = std::move(arguments);
            co_return co_await box.call("POST", "/call", std::move(body));
          }};
}

// Without an answer of the box there are none; the agent's own tools do not depend on it.
web::Task<std::vector<Tool>> tools_of(std::string url, std::string token) {
  const BoxClient listing{url, token, list_time}, calling{url, token, call_time};
  std::vector<Tool> tools;
  json::object nothing;
  const auto answer = co_await listing.call("GET", "/tools", std::move(nothing));
  auto listed = answer ? web::parse_value<RemoteTools>(*answer) : web::Result<RemoteTools>(answer.error());
  if (!listed) {
    web::log::warning("mcp_tools_not_listed", {{"reason", listed.error().message}});
    co_return tools;
  }
  for (auto& remote : listed->tools) tools.push_back(tool_of(calling, std::move(remote)));
  co_return tools;
}

}  // namespace

ToolSource mcp_tools(const std::string& backend_url, const std::string& box_token) {
  return [url = backend_url + "/api/agent-mcp", box_token] { return tools_of(url, box_token); };
}

}  // namespace agent_process
