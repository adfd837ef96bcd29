#include "appliance/hosting/mcp_servers/client.h"

#include <algorithm>
#include <boost/json.hpp>

#include "appliance/foundation/crypto/base64.h"
#include "appliance/foundation/version.h"
#include "appliance/hosting/mcp_servers/wire.h"
#include "web/json.h"
#include "web/utf8.h"

namespace mcp_servers {

namespace json = boost::json;

namespace {

constexpr std::size_t max_quoted_bytes = 300;

json::object client_info() { return {{"name", "agentbox"}, {"version", agentbox::version}}; }

std::chrono::milliseconds time_until(std::chrono::steady_clock::time_point deadline) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
}

// What every request of the current form says about this client.
json::object meta() {
  return {{"io.modelcontextprotocol/protocolVersion", current_version},
          {"io.modelcontextprotocol/clientInfo", client_info()},
          {"io.modelcontextprotocol/clientCapabilities", json::object()}};
}

// Answers of a server that does not know the current form, or not this version of it; some fail with 500 at methods
// that they do not know.
bool asks_for_session(int status, std::int64_t code) {
  constexpr std::int64_t unsupported_version = -32022, header_mismatch = -32020;
  if (code == header_mismatch) return false;
  if (status == 500 || status == 501) return true;
  return code == unsupported_version || code != 0 || (status >= 400 && status < 500 && status != 401 && status != 403);
}

}  // namespace

std::string header_value(std::string_view value) {
  const bool is_plain = !value.empty() && value.front() != ' ' && value.back() != ' ' &&
                        !value.starts_with("=?base64?") &&
                        std::ranges::all_of(value, [](char c) { return c >= ' ' && c <= '~'; });
  if (is_plain) return std::string(value);
  return "=?base64?" + crypto::to_base64(value) + "?=";
}

web::FetchHeaders parameter_headers(const json::object& schema, const json::object& arguments) {
  web::FetchHeaders headers;
  const auto* properties = schema.if_contains("properties");
  if (!properties || !properties->is_object()) return headers;
  for (const auto& [name, property] : properties->get_object()) {
    const auto* value = arguments.if_contains(name);
    const auto* object = property.if_object();
    if (!value || !object) continue;
    if (const auto header = web::string_member(*object, "x-mcp-header");
        !header.empty() && (value->is_string() || value->is_int64() || value->is_bool())) {
      headers.emplace_back("Mcp-Param-" + header, header_value(value->is_string() ? std::string(value->get_string())
                                                                                  : json::serialize(*value)));
    }
    if (const auto* nested = value->if_object())
      for (auto& deeper : parameter_headers(*object, *nested)) headers.push_back(std::move(deeper));
  }
  return headers;
}

web::Error Client::failure(std::string_view why) const {
  return {.kind = web::Kind::bad_gateway,
          .message = "The MCP server " + config_.name + " " + std::string(web::utf8_prefix(why, max_quoted_bytes))};
}

web::FetchRequest Client::message(const Form& form, const Call& call, std::int64_t id, bool is_notification) const {
  json::object body{{"jsonrpc", "2.0"}, {"method", call.method}};
  if (!is_notification) body["id"] = id;
  auto params = call.params;
  if (!form.has_session) params["_meta"] = meta();
  if (!params.empty()) body["params"] = std::move(params);
  web::FetchRequest request{.url = config_.url, .method = "POST"};
  request.headers = {{"Content-Type", "application/json"}, {"Accept", "application/json, text/event-stream"}};
  if (!config_.token.empty()) request.headers.emplace_back("Authorization", "Bearer " + config_.token);
  for (const auto& header : config_.headers) request.headers.push_back(header);
  if (!form.version.empty()) request.headers.emplace_back("MCP-Protocol-Version", form.version);
  if (form.has_session) {
    if (!form.session.empty()) request.headers.emplace_back("Mcp-Session-Id", form.session);
  } else {
    request.headers.emplace_back("Mcp-Method", call.method);
    if (!call.name.empty()) request.headers.emplace_back("Mcp-Name", header_value(call.name));
    for (const auto& header : call.headers) request.headers.push_back(header);
  }
  request.body = json::serialize(body);
  request.origin = origin_;
  request.reach = limits_.reach;
  request.max_bytes = limits_.max_answer_bytes;
  return request;
}

web::Task<web::Result<Client::Outcome>> Client::post(const Form& form, const Call& call, Deadline deadline,
                                                     bool is_notification) {
  std::int64_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    id = ++last_id_;
  }
  const auto time = time_until(deadline);
  if (time.count() <= 0) co_return failure("did not answer in time.");
  auto request = message(form, call, id, is_notification);
  request.timeout = time;
  Outcome outcome;
  AnswerReader reader(id);
  request.on_head = [&](int status, const web::FetchHeaders& headers) {
    outcome.status = status;
    for (const auto& [name, value] : headers) {
      if (name == "content-type") reader.set_content_type(value);
      if (name == "mcp-session-id") outcome.session = value;
    }
    return true;
  };
  request.sink = [&](std::string_view bytes) { return reader.feed(bytes); };
  const auto response = co_await web::fetch(std::move(request));
  if (!response) {
    web::Error error = failure("did not answer: " + response.error().message);
    error.kind = response.error().kind == web::Kind::timeout ? web::Kind::timeout : web::Kind::bad_gateway;
    co_return error;
  }
  auto answer = reader.take();
  if (!answer) co_return outcome;
  if (auto* result = answer->if_contains("result"); result && result->is_object()) {
    outcome.result = std::move(result->get_object());
  } else if (const auto* error = answer->if_contains("error"); error && error->is_object()) {
    const auto* code = error->get_object().if_contains("code");
    outcome.code = code && code->is_int64() && code->get_int64() != 0 ? code->get_int64() : -1;
    outcome.message = web::string_member(error->get_object(), "message");
  }
  co_return outcome;
}

// Nothing: the server speaks the older form.
web::Task<web::Result<std::optional<Client::Form>>> Client::discover(Deadline deadline) {
  Form form{.version = std::string(current_version)};
  const Call call{.method = "server/discover"};
  const auto outcome = co_await post(form, call, deadline);
  if (!outcome) co_return outcome.error();
  if (outcome->result) co_return std::optional(std::move(form));
  if (asks_for_session(outcome->status, outcome->code)) co_return std::optional<Form>();
  co_return failure("answered with status " + std::to_string(outcome->status) +
                    (outcome->message.empty() ? "." : ": " + outcome->message));
}

web::Task<web::Result<Client::Form>> Client::open_session(Deadline deadline) {
  Form form{.has_session = true};
  const Call initialize{
      .method = "initialize",
      .params = {
          {"protocolVersion", session_version}, {"capabilities", json::object()}, {"clientInfo", client_info()}}};
  const auto outcome = co_await post(form, initialize, deadline);
  if (!outcome) co_return outcome.error();
  if (!outcome->result)
    co_return failure("answered with status " + std::to_string(outcome->status) +
                      (outcome->message.empty() ? "." : ": " + outcome->message));
  form.version = web::string_member(*outcome->result, "protocolVersion");
  form.session = outcome->session;
  const Call initialized{.method = "notifications/initialized"};
  const auto told = co_await post(form, initialized, deadline, true);
  if (!told) co_return told.error();
  co_return form;
}

web::Task<web::Result<Client::Form>> Client::form(Deadline deadline) {
  {
    const std::lock_guard lock(mutex_);
    if (form_) co_return *form_;
  }
  auto current = co_await discover(deadline);
  if (!current) co_return current.error();
  if (!*current) {
    auto opened = co_await open_session(deadline);
    if (!opened) co_return opened.error();
    *current = std::move(*opened);
  }
  const std::lock_guard lock(mutex_);
  form_ = **current;
  co_return *form_;
}

void Client::forget(const Form& form) {
  const std::lock_guard lock(mutex_);
  if (form_ && form_->session == form.session && form_->version == form.version) form_.reset();
}

web::Task<web::Result<json::object>> Client::request(Call call, Deadline deadline) {
  for (bool is_second = false;; is_second = true) {
    const auto spoken = co_await form(deadline);
    if (!spoken) co_return spoken.error();
    auto outcome = co_await post(*spoken, call, deadline);
    if (!outcome) co_return outcome.error();
    if (outcome->result) {
      const auto type = web::string_member(*outcome->result, "resultType");
      if (type.empty() || type == "complete") co_return std::move(*outcome->result);
      co_return failure("asks for more input, which agents cannot give.");
    }
    // The session has ended, or the server was replaced by one of another form.
    const bool is_form_over = outcome->status == 404 || outcome->status == 400 || outcome->code == -32022;
    if (is_form_over) forget(*spoken);
    if (is_form_over && !is_second) continue;
    if (!outcome->message.empty()) co_return failure("refused: " + outcome->message);
    co_return failure("answered with status " + std::to_string(outcome->status) + ".");
  }
}

web::Task<web::Result<std::vector<RemoteTool>>> Client::list_tools() {
  const auto deadline = std::chrono::steady_clock::now() + limits_.list_time;
  std::vector<RemoteTool> tools;
  std::string cursor;
  for (std::size_t page = 0; page < limits_.max_pages; ++page) {
    Call call{.method = "tools/list"};
    if (!cursor.empty()) call.params["cursor"] = cursor;
    const auto result = co_await request(std::move(call), deadline);
    if (!result) co_return result.error();
    for (auto& tool : tools_in(*result)) {
      if (!config_.tools.empty() && std::ranges::count(config_.tools, tool.name) == 0) continue;
      if (tools.size() < limits_.max_tools) tools.push_back(std::move(tool));
    }
    cursor = web::string_member(*result, "nextCursor");
    if (cursor.empty()) break;
  }
  co_return tools;
}

web::Task<web::Result<ToolAnswer>> Client::call_tool(RemoteTool tool, json::object arguments) {
  const auto deadline = std::chrono::steady_clock::now() + config_.timeout;
  Call call{.method = "tools/call",
            .params = {{"name", tool.name}},
            .name = tool.name,
            .headers = parameter_headers(tool.input_schema, arguments)};
  call.params["arguments"] = std::move(arguments);
  const auto result = co_await request(std::move(call), deadline);
  if (!result) co_return result.error();
  co_return answer_in(*result);
}

}  // namespace mcp_servers
