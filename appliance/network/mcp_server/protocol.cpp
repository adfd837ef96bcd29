#include "appliance/network/mcp_server/protocol.h"

#include <algorithm>

namespace mcp_server {

namespace {

namespace json = boost::json;

constexpr std::string_view version_member = "io.modelcontextprotocol/protocolVersion";

constexpr std::string_view batch_version = "2025-03-26";

bool is_session_version(std::string_view version) { return std::ranges::count(session_versions, version) > 0; }

std::optional<std::string> read_text(const json::object& object, std::string_view name) {
  const auto* member = object.if_contains(name);
  if (!member || !member->is_string()) return std::nullopt;
  return std::string(member->get_string());
}

// The version that the body names.
std::optional<std::string> named_version(const json::object& params) {
  const auto* meta = params.if_contains("_meta");
  return meta && meta->is_object() ? read_text(meta->get_object(), version_member) : std::nullopt;
}

ProtocolError mismatch(std::string_view header, std::string_view value, std::string_view in_body) {
  std::string text = "Header mismatch: ";
  text += value.empty() ? std::string(header) + " is required"
                        : std::string(header) + " header value '" + std::string(value) +
                              "' does not match body value '" + std::string(in_body) + "'";
  return {.code = Code::header_mismatch, .text = std::move(text), .id = {}, .data = {}};
}

ProtocolError unsupported(std::string_view version) {
  json::array supported{stateless_version};
  for (const auto one : session_versions) supported.emplace_back(json::string(one));
  return {.code = Code::unsupported_version,
          .text = "Unsupported protocol version",
          .id = {},
          .data = json::object{{"supported", std::move(supported)}, {"requested", version}}};
}

// Which version applies, and whether the headers say the same as the body.
std::optional<ProtocolError> check_version(const web::Request& request, Message& message) {
  const auto header = request.header("MCP-Protocol-Version");
  const auto in_body = named_version(message.params);
  if (!in_body && header != stateless_version) {
    if (header.empty() || is_session_version(header)) return std::nullopt;
    return unsupported(header);
  }
  if (header != in_body.value_or("")) return mismatch("MCP-Protocol-Version", header, in_body.value_or(""));
  if (*in_body != stateless_version) return unsupported(*in_body);
  message.is_stateless = true;
  if (request.header("Mcp-Method") != message.method)
    return mismatch("Mcp-Method", request.header("Mcp-Method"), message.method);
  if (message.method != "tools/call") return std::nullopt;
  const auto name = read_text(message.params, "name").value_or("");
  if (request.header("Mcp-Name") != name) return mismatch("Mcp-Name", request.header("Mcp-Name"), name);
  return std::nullopt;
}

std::optional<ProtocolError> read(const json::value& json, Message& message) {
  const auto invalid = [](std::string text) {
    return ProtocolError{.code = Code::invalid_request, .text = std::move(text), .id = {}, .data = {}};
  };
  const auto rpc = web::parse_value<RpcMessage>(json);
  if (!rpc) return invalid("Invalid request: " + rpc.error().message);
  const auto& body = json.get_object();
  if (const auto* id = body.if_contains("id")) {
    if (!id->is_string() && !id->is_int64() && !id->is_uint64())
      return invalid("Invalid request: id must be a string or a whole number");
    message.id = *id;
  }
  if (rpc->jsonrpc != "2.0") return invalid("Invalid request: jsonrpc must be \"2.0\"");
  message.method = rpc->method;
  if (const auto* params = body.if_contains("params")) {
    if (!params->is_object()) return invalid("Invalid request: params must be an object");
    message.params = params->get_object();
  }
  return std::nullopt;
}

web::Response answer(const json::object& body, int status) { return web::json(body, status); }

}  // namespace

Parsed parse_message(const web::Request& request) {
  Parsed parsed;
  const auto body = web::parse_json(request.body);
  if (!body) {
    parsed.error =
        ProtocolError{.code = Code::parse_error, .text = "Parse error: " + body.error().message, .id = {}, .data = {}};
  } else if (!body->is_object()) {
    parsed.error = ProtocolError{.code = Code::invalid_request,
                                 .text = "Invalid request: it must be one JSON-RPC message",
                                 .id = {},
                                 .data = {}};
  } else {
    parsed.error = read(*body, parsed.message);
    if (!parsed.error) parsed.error = check_version(request, parsed.message);
  }
  if (parsed.error) parsed.error->id = parsed.message.id;
  return parsed;
}

std::optional<std::vector<Parsed>> parse_batch(const web::Request& request) {
  const auto version = request.header("MCP-Protocol-Version");
  if (!version.empty() && version != batch_version) return std::nullopt;
  const auto body = web::parse_json(request.body);
  if (!body || !body->is_array() || body->get_array().empty() || body->get_array().size() > max_batch)
    return std::nullopt;
  std::vector<Parsed> batch;
  for (const auto& one : body->get_array()) {
    Parsed parsed;
    parsed.error = one.is_object()
                       ? read(one, parsed.message)
                       : ProtocolError{.text = "Invalid request: it must be an object", .id = {}, .data = {}};
    if (!parsed.error && parsed.message.method == "initialize")
      parsed.error = ProtocolError{.text = "Invalid request: initialize is no part of a batch", .id = {}, .data = {}};
    if (parsed.error) parsed.error->id = parsed.message.id;
    batch.push_back(std::move(parsed));
  }
  return batch;
}

std::string negotiated_version(const json::object& params) {
  const auto requested = read_text(params, "protocolVersion").value_or("");
  return is_session_version(requested) ? requested : std::string(session_versions[0]);
}

web::Response error_response(const ProtocolError& error) {
  json::object body{{"code", static_cast<int>(error.code)}, {"message", error.text}};
  if (!error.data.is_null()) body["data"] = error.data;
  return answer({{"jsonrpc", "2.0"}, {"id", error.id}, {"error", std::move(body)}}, error.status);
}

web::Response result_response(const Message& message, json::object result) {
  if (message.is_stateless) result["resultType"] = "complete";
  return answer({{"jsonrpc", "2.0"}, {"id", message.id}, {"result", std::move(result)}}, 200);
}

web::Response accepted() {
  web::Response response;
  response.status = 202;
  response.content_type.clear();
  return response;
}

}  // namespace mcp_server
