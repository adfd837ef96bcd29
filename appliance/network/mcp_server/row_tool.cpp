#include "appliance/network/mcp_server/row_tool.h"

#include <cctype>

#include "web/log.h"
#include "web/routes/reply.h"

namespace mcp_server {

namespace {

namespace json = boost::json;

std::string parameter_of(std::string_view path) {
  const auto colon = path.find("/:");
  if (colon == std::string_view::npos) return {};
  path.remove_prefix(colon + 2);
  return std::string(path.substr(0, path.find('/')));
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || c == '-' || c == '_' || c == '.' || c == '~') {
      out += c;
    } else {
      out += '%';
      out += digits[byte >> 4U];
      out += digits[byte & 15U];
    }
  }
  return out;
}

void add_parameter(std::string& query, std::string_view name, const json::value& value) {
  if (const auto* list = value.if_array()) {
    for (const auto& one : *list) add_parameter(query, name, one);
    return;
  }
  if (value.is_null()) return;
  const auto* text = value.if_string();
  query += (query.empty() ? "" : "&") + percent_encoded(name) + "=" +
           percent_encoded(text ? std::string(*text) : json::serialize(value));
}

std::string query_of(const json::object& arguments) {
  std::string query;
  for (const auto& [name, value] : arguments) add_parameter(query, name, value);
  return query;
}

ToolResult error_result(const std::string& message) {
  return {.content = json::object{{"error", message}}, .is_error = true};
}

ToolResult tool_result(const web::Response& response) {
  const auto* body = std::get_if<std::string>(&response.body);
  boost::system::error_code unparsed;
  json::value content = body && !body->empty() ? json::parse(*body, unparsed) : json::object();
  if (!body || unparsed) return error_result("The box's answer is not JSON");
  return {.content = std::move(content), .is_error = response.status >= 400};
}

}  // namespace

RowTool::RowTool(const MarkedRow& mark, const web::Route& row)
    : mark_(mark), row_(row), parameter_(parameter_of(row.path)) {}

// One schema for the path's parameter and the rest. A row reads either a body or a query.
json::object RowTool::input_schema() const {
  json::object schema;
  const auto& own = row_.endpoint.body ? row_.endpoint.body : row_.endpoint.query_schema;
  if (own) schema = own().as_object();
  schema["type"] = "object";
  auto& properties = schema["properties"];
  if (!properties.is_object()) properties.emplace_object();
  if (!mark_.left_out.empty()) properties.get_object().erase(mark_.left_out);
  if (!parameter_.empty()) {
    properties.get_object()[mark_.path_argument] = json::object{{"type", "string"}, {"minLength", 1}};
    auto& required = schema["required"];
    if (!required.is_array()) required.emplace_array();
    required.get_array().emplace_back(json::string(mark_.path_argument));
  }
  return schema;
}

json::object RowTool::definition() const {
  const auto& own = row_.endpoint.description.empty() ? row_.summary : row_.summary + ". " + row_.endpoint.description;
  return {{"name", mark_.name},
          {"title", mark_.title},
          {"description", mark_.description.empty() ? json::string(own) : json::string(mark_.description)},
          {"inputSchema", input_schema()},
          {"annotations", json::object{{"readOnlyHint", mark_.is_read_only},
                                       {"destructiveHint", mark_.is_destructive},
                                       {"openWorldHint", false}}}};
}

web::Task<ToolResult> RowTool::call(const web::Request& outer, json::object arguments) const {
  web::Request request;
  request.method = row_.method;
  request.path = row_.path;
  if (!parameter_.empty()) {
    const auto* given = arguments.if_contains(mark_.path_argument);
    if (!given || !given->is_string() || given->get_string().empty())
      co_return error_result(std::string(mark_.path_argument) + " is required");
    request.params.emplace_back(parameter_, std::string(given->get_string()));
    arguments.erase(mark_.path_argument);
  }
  std::string body, query;
  if (row_.endpoint.body) {
    body = json::serialize(arguments);
    request.headers.push_back({"Content-Type", "application/json"});
    request.body = body;
  } else {
    query = query_of(arguments);
    request.query = query;
  }
  request.client_address = outer.client_address;
  request.host = outer.host;
  request.secure = outer.secure;
  request.id = outer.id;
  request.route = row_.path;
  request.caller = {.user_id = outer.caller.user_id, .agent = outer.caller.agent, .credential = {}};
  const auto response = co_await row_.endpoint.handle(request);
  if (response) co_return tool_result(*response);
  if (!response.error().detail.empty())
    web::log::info("tool_failed", {{"tool", std::string(mark_.name)},
                                   {"request", outer.id},
                                   {"reason", response.error().message},
                                   {"detail", response.error().detail}});
  co_return tool_result(web::error_response(response.error()));
}

}  // namespace mcp_server
