#include "appliance/hosting/mcp_servers/handlers.h"

#include "web/log.h"

namespace mcp_servers {

using web::Request;

web::Answer list_servers(const Services& services, const Request& request) {
  auto found = co_await services.servers.look(request.caller.user_id, request.param("id"));
  if (!found) co_return found.error();
  ServerList answer;
  for (auto& server : *found) {
    ServerItem item{.name = std::move(server.name), .url = std::move(server.url), .tools = {}, .error = {}};
    for (auto& tool : server.tools) item.tools.push_back(std::move(tool.name));
    if (!server.error.empty()) item.error = std::move(server.error);
    answer.servers.push_back(std::move(item));
  }
  answer.count = std::int64_t(answer.servers.size());
  co_return web::reply(answer, 200);
}

web::Answer list_tools(const Services& services, const Request& request) {
  auto found = co_await services.servers.look(request.caller.user_id, request.caller.agent);
  if (!found) co_return found.error();
  ToolList answer;
  for (auto& server : *found) {
    if (!server.error.empty())
      web::log::warning("mcp_server_not_used", {{"agent", request.caller.agent}, {"reason", server.error}});
    for (auto& [name, server_name, tool] : server.tools)
      answer.tools.push_back({std::move(name), std::move(tool.description), std::move(tool.input_schema)});
  }
  co_return web::reply(answer, 200);
}

web::Answer call_tool(const Services& services, const Request& request, CallRequest body) {
  auto arguments = body.arguments ? std::move(*body.arguments) : boost::json::object();
  auto called = co_await services.servers.call(request.caller.user_id, request.caller.agent, std::move(body.name),
                                               std::move(arguments));
  if (!called) co_return called.error();
  const CallAnswer answer{
      .content = std::move(called->text), .structured = std::move(called->structured), .isError = called->is_error};
  co_return web::reply(answer, 200);
}

}  // namespace mcp_servers
