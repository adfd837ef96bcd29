#include "appliance/hosting/mcp_servers/transport.h"

#include <boost/json.hpp>

#include "appliance/foundation/version.h"
#include "appliance/hosting/mcp_servers/wire.h"
#include "web/json.h"
#include "web/utf8.h"

namespace mcp_servers {

namespace json = boost::json;

namespace {

constexpr std::size_t max_quoted_bytes = 300;
constexpr std::int64_t unknown_method = -32601;

// What every request of the current form says about this client.
json::object meta() {
  return {{"io.modelcontextprotocol/protocolVersion", current_version},
          {"io.modelcontextprotocol/clientInfo", client_info()},
          {"io.modelcontextprotocol/clientCapabilities", client_capabilities()}};
}

}  // namespace

json::object client_info() { return {{"name", "agentbox"}, {"version", agentbox::version}}; }

json::object client_capabilities() { return {{"elicitation", {{"form", json::object()}, {"url", json::object()}}}}; }

web::Error server_failure(std::string_view name, std::string_view why) {
  return {
      .kind = web::Kind::bad_gateway,
      .message = "The MCP server " + std::string(name) + " " + std::string(web::utf8_prefix(why, max_quoted_bytes))};
}

json::object message_of(const Form& form, const Call& call, std::int64_t id, bool is_notification) {
  json::object message{{"jsonrpc", "2.0"}, {"method", call.method}};
  if (!is_notification) message["id"] = id;
  auto params = call.params;
  if (!form.has_session) params["_meta"] = meta();
  if (!params.empty()) message["params"] = std::move(params);
  return message;
}

void read_answer(json::object& answer, Outcome& outcome) {
  if (auto* result = answer.if_contains("result"); result && result->is_object()) {
    outcome.result = std::move(result->get_object());
  } else if (const auto* error = web::object_member(answer, "error")) {
    const auto* code = error->if_contains("code");
    outcome.code = code && code->is_int64() && code->get_int64() != 0 ? code->get_int64() : -1;
    outcome.message = web::string_member(*error, "message");
  }
}

bool is_request(const json::object& message) { return message.contains("method") && message.contains("id"); }

web::Task<json::object> answer_to_server(json::object request, AskOwner ask) {
  json::object answer{{"jsonrpc", "2.0"}, {"id", request["id"]}};
  const auto method = web::string_member(request, "method");
  if (method == "ping") {
    answer["result"] = json::object();
  } else if (method == "elicitation/create" && ask) {
    const auto* params = web::object_member(request, "params");
    auto question = params ? *params : json::object();
    answer["result"] = co_await ask(std::move(question));
  } else if (method == "elicitation/create") {
    answer["result"] = json::object{{"action", "cancel"}};
  } else {
    answer["error"] = json::object{{"code", unknown_method}, {"message", "This client does not know " + method}};
  }
  co_return answer;
}

}  // namespace mcp_servers
