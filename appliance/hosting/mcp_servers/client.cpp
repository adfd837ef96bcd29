#include "appliance/hosting/mcp_servers/client.h"

#include <algorithm>
#include <boost/json.hpp>

#include "appliance/hosting/mcp_servers/wire.h"
#include "web/json.h"

namespace mcp_servers {

namespace json = boost::json;

namespace {

constexpr std::size_t max_rounds = 10;  // of one call in which the server wants it repeated
constexpr std::chrono::milliseconds round_pause{250};

// Answers of a server that does not know the current form, or not this version of it; some fail with 500 at methods
// that they do not know.
bool asks_for_session(int status, std::int64_t code) {
  constexpr std::int64_t unsupported_version = -32022, header_mismatch = -32020;
  if (code == header_mismatch) return false;
  if (status == 500 || status == 501) return true;
  return code == unsupported_version || code != 0 || (status >= 400 && status < 500 && status != 401 && status != 403);
}

// The server's capabilities, of the result of server/discover or initialize.
json::object capabilities_in(const json::object& result) {
  const auto* capabilities = web::object_member(result, "capabilities");
  return capabilities ? *capabilities : json::object();
}

Call call_of(const RemoteTool& tool, json::object arguments) {
  switch (tool.kind) {
    case ToolKind::list_resources:
      return {.method = "resources/list"};
    case ToolKind::list_prompts:
      return {.method = "prompts/list"};
    case ToolKind::read_resource: {
      auto uri = web::string_member(arguments, "uri");
      return {.method = "resources/read", .params = {{"uri", uri}}, .name = std::move(uri)};
    }
    case ToolKind::get_prompt: {
      auto name = web::string_member(arguments, "name");
      Call call{.method = "prompts/get", .params = {{"name", name}}, .name = std::move(name)};
      if (const auto* values = web::object_member(arguments, "arguments")) call.params["arguments"] = *values;
      return call;
    }
    case ToolKind::call:
      break;
  }
  Call call{.method = "tools/call",
            .params = {{"name", tool.name}},
            .name = tool.name,
            .headers = parameter_headers(tool.input_schema, arguments)};
  call.params["arguments"] = std::move(arguments);
  return call;
}

ToolAnswer answer_of(ToolKind kind, const json::object& result) {
  switch (kind) {
    case ToolKind::list_resources:
      return resource_list_in(result);
    case ToolKind::read_resource:
      return resource_in(result);
    case ToolKind::list_prompts:
      return prompt_list_in(result);
    case ToolKind::get_prompt:
      return prompt_in(result);
    case ToolKind::call:
      break;
  }
  return answer_in(result);
}

}  // namespace

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

web::Error Client::failure(const Outcome& outcome) const {
  if (config_.is_program()) return failure("refused: " + outcome.message);
  return failure("answered with status " + std::to_string(outcome.status) +
                 (outcome.message.empty() ? "." : ": " + outcome.message));
}

web::Task<web::Result<Outcome>> Client::exchange(const Form& form, const Call& call, Clock::time_point deadline,
                                                 bool is_notification) {
  std::int64_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    id = ++last_id_;
  }
  co_return co_await transport_->exchange(form, call, id, deadline, is_notification);
}

// Nothing: the server speaks the older form.
web::Task<web::Result<std::optional<Form>>> Client::discover(Clock::time_point deadline) {
  Form form{.version = std::string(current_version)};
  const Call call{.method = "server/discover"};
  const auto outcome = co_await exchange(form, call, deadline);
  if (!outcome) co_return outcome.error();
  if (outcome->result) {
    form.session = outcome->session;
    form.capabilities = capabilities_in(*outcome->result);
    co_return std::optional(std::move(form));
  }
  if (asks_for_session(outcome->status, outcome->code)) co_return std::optional<Form>();
  co_return failure(*outcome);
}

// Nothing: the server refuses it, and the other form is not tried yet.
web::Task<web::Result<std::optional<Form>>> Client::open_session(Clock::time_point deadline, bool is_last) {
  Form form{.has_session = true};
  const Call initialize{.method = "initialize",
                        .params = {{"protocolVersion", session_version},
                                   {"capabilities", client_capabilities()},
                                   {"clientInfo", client_info()}}};
  const auto outcome = co_await exchange(form, initialize, deadline);
  if (!outcome) co_return outcome.error();
  if (!outcome->result && !is_last) co_return std::optional<Form>();
  if (!outcome->result) co_return failure(*outcome);
  form.version = web::string_member(*outcome->result, "protocolVersion");
  form.session = outcome->session;
  form.capabilities = capabilities_in(*outcome->result);
  const Call initialized{.method = "notifications/initialized"};
  const auto told = co_await exchange(form, initialized, deadline, true);
  if (!told) co_return told.error();
  co_return std::optional(std::move(form));
}

web::Task<web::Result<Form>> Client::form(Clock::time_point deadline) {
  {
    const std::lock_guard lock(mutex_);
    if (form_) co_return *form_;
  }
  const bool sessions_first = transport_->prefers_sessions();
  std::optional<Form> found;
  for (const bool is_second : {false, true}) {
    if (found) break;
    auto tried = sessions_first != is_second ? open_session(deadline, is_second) : discover(deadline);
    auto form = co_await std::move(tried);
    if (!form) co_return form.error();
    found = std::move(*form);
  }
  if (!found) co_return failure("speaks no known version of the protocol.");
  const std::lock_guard lock(mutex_);
  form_ = std::move(found);
  co_return *form_;
}

void Client::forget(const Form& form) {
  const std::lock_guard lock(mutex_);
  if (form_ && form_->session == form.session && form_->version == form.version) form_.reset();
}

web::Task<web::Result<json::object>> Client::request(Call call, Clock::time_point deadline) {
  for (bool is_second = false;; is_second = true) {
    const auto spoken = co_await form(deadline);
    if (!spoken) co_return spoken.error();
    auto outcome = co_await exchange(*spoken, call, deadline);
    if (!outcome) co_return outcome.error();
    if (outcome->result) co_return std::move(*outcome->result);
    // The session has ended, or the server was replaced by one of another form.
    const bool is_form_over = outcome->status == 404 || outcome->status == 400 || outcome->code == -32022;
    if (is_form_over) forget(*spoken);
    if (is_form_over && !is_second) continue;
    if (!outcome->message.empty()) co_return failure("refused: " + outcome->message);
    co_return failure(*outcome);
  }
}

web::Task<web::Result<std::vector<RemoteTool>>> Client::list_tools() {
  const auto deadline = Clock::now() + (config_.is_program() ? limits_.program_list_time : limits_.list_time);
  std::vector<RemoteTool> tools;
  const auto add = [&](RemoteTool tool) {
    if (!config_.tools.empty() && std::ranges::count(config_.tools, tool.name) == 0) return;
    if (std::ranges::count(tools, tool.name, &RemoteTool::name) > 0) return;
    if (tools.size() < limits_.max_tools) tools.push_back(std::move(tool));
  };
  const auto spoken = co_await form(deadline);
  if (!spoken) co_return spoken.error();
  const auto& offered = spoken->capabilities;
  std::string cursor;
  // Servers without a word on what they can do have been seen to have tools.
  const bool has_tools = offered.contains("tools") || offered.empty();
  for (std::size_t page = 0; has_tools && page < limits_.max_pages; ++page) {
    Call call{.method = "tools/list"};
    if (!cursor.empty()) call.params["cursor"] = cursor;
    const auto result = co_await request(std::move(call), deadline);
    if (!result) co_return result.error();
    for (auto& tool : tools_in(*result)) add(std::move(tool));
    cursor = web::string_member(*result, "nextCursor");
    if (cursor.empty()) break;
  }
  if (offered.contains("resources"))
    for (auto& tool : resource_tools()) add(std::move(tool));
  if (offered.contains("prompts"))
    for (auto& tool : prompt_tools()) add(std::move(tool));
  co_return tools;
}

web::Task<web::Result<ToolAnswer>> Client::call_tool(RemoteTool tool, json::object arguments, AskOwner ask,
                                                     json::object retry, json::object reply) {
  const auto deadline = Clock::now() + config_.timeout;
  auto call = call_of(tool, std::move(arguments));
  call.ask = std::move(ask);
  if (!retry.empty()) {
    if (auto next = next_question(retry, std::move(reply))) co_return ToolAnswer{.question = std::move(next)};
    add_retry(call.params, retry);
  }
  for (std::size_t round = 0; round < max_rounds; ++round) {
    const auto result = co_await request(call, deadline);
    if (!result) co_return result.error();
    const auto type = web::string_member(*result, "resultType");
    if (type.empty() || type == "complete") co_return answer_of(tool.kind, *result);
    auto wanted = type == "input_required" ? retry_of(*result) : std::nullopt;
    if (!wanted) co_return failure("asks for input that neither the agent nor its owner can give.");
    if (auto question = next_question(*wanted, {})) co_return ToolAnswer{.question = std::move(question)};
    add_retry(call.params, *wanted);  // it wants the call again, without an answer to anything
    co_await web::sleep_for(round_pause);
  }
  co_return failure("wants the same call again and again.");
}

}  // namespace mcp_servers
