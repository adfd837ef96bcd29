// Handlers of the rows about MCP servers, with the structs of their requests and answers.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/hosting/mcp_servers/routes.h"
#include "web/routes/endpoint.h"

namespace mcp_servers {

struct ToolItem {
  std::string name, description;
  boost::json::object inputSchema;
};
BOOST_DESCRIBE_STRUCT(ToolItem, (), (name, description, inputSchema))

struct ToolList {
  std::vector<ToolItem> tools;
};
BOOST_DESCRIBE_STRUCT(ToolList, (), (tools))

struct CallRequest {
  web::Text<1, 64> name;
  std::optional<boost::json::object> arguments;
};
BOOST_DESCRIBE_STRUCT(CallRequest, (), (name, arguments))

struct CallAnswer {
  std::string content;
  std::optional<boost::json::value> structured;
  bool isError;
};
BOOST_DESCRIBE_STRUCT(CallAnswer, (), (content, structured, isError))

struct ServerItem {
  std::string name, url;
  std::vector<std::string> tools;
  std::optional<std::string> error;
};
BOOST_DESCRIBE_STRUCT(ServerItem, (), (name, url, tools, error))

struct ServerList {
  std::vector<ServerItem> servers;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(ServerList, (), (servers, count))

web::Answer list_servers(const Services&, const web::Request&);
web::Answer list_tools(const Services&, const web::Request&);
web::Answer call_tool(const Services&, const web::Request&, CallRequest);

}  // namespace mcp_servers
