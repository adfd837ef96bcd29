// The answer half of openai_wire.h.
#include <array>
#include <boost/json.hpp>
#include <chrono>

#include "appliance/models/providers/openai_wire.h"
#include "appliance/models/providers/provider.h"
#include "appliance/models/providers/wire_json.h"

namespace models::openai {

namespace json = boost::json;

namespace {

std::string text_of(const json::value* content) {
  if (!content) return {};
  if (const auto* text = content->if_string()) return std::string(*text);
  std::string joined;
  if (const auto* parts = content->if_array()) {
    for (const auto& part : *parts) {
      if (const auto* object = part.if_object()) joined += string_in(*object, "text");
    }
  }
  return joined;
}

ToolCall parse_call(const json::object& function, std::string id, std::size_t index) {
  ToolCall call{.id = id.empty() ? "call_" + std::to_string(index) : std::move(id),
                .name = string_in(function, "name")};
  const auto* arguments = function.if_contains("arguments");
  if (!arguments || arguments->is_null()) {
    call.arguments = "{}";
  } else if (const auto* text = arguments->if_string()) {
    call.arguments = std::string(*text);
    return checked_call(std::move(call));
  } else {
    call.arguments = json::serialize(*arguments);
    call.malformed = !arguments->is_object();
  }
  return call;
}

std::vector<ToolCall> parse_calls(const json::object& message) {
  std::vector<ToolCall> calls;
  if (const auto* list = message.if_contains("tool_calls"); list && list->is_array()) {
    for (const auto& entry : list->get_array()) {
      const auto* call = entry.if_object();
      if (!call) continue;
      const auto* function = object_in(*call, "function");
      calls.push_back(parse_call(function ? *function : *call, string_in(*call, "id"), calls.size()));
    }
  } else if (const auto* function = object_in(message, "function_call")) {
    calls.push_back(parse_call(*function, {}, 0));
  }
  return calls;
}

json::array calls_to_wire(const std::vector<ToolCall>& calls, const json::storage_ptr& memory) {
  json::array wire(memory);
  for (const auto& call : calls) {
    json::object written(
        {{"id", call.id}, {"type", "function"}, {"function", {{"name", call.name}, {"arguments", call.arguments}}}},
        memory);
    wire.push_back(std::move(written));
  }
  return wire;
}

std::int64_t unix_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Errors that need a higher limit, not a retry.
bool is_used_up(const web::Error& error) {
  return error.kind == web::Kind::payment_required || error.code == "QUOTA_EXCEEDED" ||
         error.code == "BUDGET_EXCEEDED" || error.code == "CAP_REACHED";
}

std::string_view error_type(const web::Error& error) {
  if (is_used_up(error)) return "insufficient_quota";
  switch (error.kind) {
    case web::Kind::invalid:
    case web::Kind::not_found:
    case web::Kind::conflict:
    case web::Kind::too_large:
      return "invalid_request_error";
    case web::Kind::unauthenticated:
      return "authentication_error";
    case web::Kind::forbidden:
      return "permission_error";
    case web::Kind::too_many:
      return "rate_limit_error";
    default:
      return "server_error";
  }
}

// Messages about a field begin with its name: "messages[2].role must be ...".
std::string_view field_named_by(const web::Error& error) {
  if (error.code == "model_not_found") return "model";
  if (error.code == to_string(Fault::context_too_long)) return "messages";
  if (error.kind != web::Kind::invalid) return {};
  const std::string_view message = error.message;
  if (message.empty() || message.front() < 'a' || message.front() > 'z') return {};
  const auto end = message.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_[].");
  const auto field = message.substr(0, end);
  if (end == message.npos || field == "model") return field;
  const auto rest = message.substr(end);
  for (const std::string_view verb : {" must ", " is ", " needs ", ": "})
    if (rest.starts_with(verb)) return field;
  return {};
}

// OpenAI's code, or the box's own if there is none.
std::string_view code_of(const web::Error& error) {
  if (error.code == to_string(Fault::context_too_long)) return context_length_exceeded;
  if (error.code == to_string(Fault::rate_limited)) return "rate_limit_exceeded";
  if (!error.code.empty()) return error.code;
  if (error.kind == web::Kind::too_many) return "rate_limit_exceeded";
  if (error.kind == web::Kind::unauthenticated) return "invalid_api_key";
  if (error.kind == web::Kind::timeout) return to_string(Fault::timeout);
  return {};
}

}  // namespace

std::string_view wire_name(Finish finish) {
  switch (finish) {
    case Finish::tool_calls:
      return "tool_calls";
    case Finish::length:
      return "length";
    case Finish::content_filter:
      return "content_filter";
    case Finish::stop:
      break;
  }
  return "stop";
}

Finish finish_named(std::string_view reason, bool has_calls) {
  if (has_calls) return Finish::tool_calls;
  if (reason == "length") return Finish::length;
  if (reason == "content_filter") return Finish::content_filter;
  return Finish::stop;
}

std::optional<TokenUsage> parse_usage(const json::object& body) {
  const auto* usage = object_in(body, "usage");
  if (!usage) return std::nullopt;
  const auto input = token_count_in(*usage, "prompt_tokens");
  const auto output = token_count_in(*usage, "completion_tokens");
  if (!input || !output || *input + *output == 0) return std::nullopt;
  TokenUsage found{.input = *input, .output = *output};
  if (const auto* details = object_in(*usage, "prompt_tokens_details"))
    found.cached = std::min(token_count_in(*details, "cached_tokens").value_or(0), found.input);
  if (const auto* details = object_in(*usage, "completion_tokens_details"))
    found.reasoning = std::min(token_count_in(*details, "reasoning_tokens").value_or(0), found.output);
  return found;
}

web::Result<ChatAnswer> parse_answer(std::string_view text, const ChatRequest& request) {
  std::array<unsigned char, 4096> room;  // the tree is read once and freed as a whole
  json::monotonic_resource memory(room.data(), room.size());
  const auto value = parse_object(text, &memory);
  const auto* body = value.if_object();
  if (!body) return bad_answer("sent an answer that is not a JSON object");
  const auto* choices = body->if_contains("choices");
  const auto* list = choices ? choices->if_array() : nullptr;
  if (!list || list->empty()) {
    // Some routers report an upstream's failure with status 200.
    if (const auto* failure = object_in(*body, "error")) return bad_answer("said: " + string_in(*failure, "message"));
    return bad_answer("sent an answer without choices");
  }
  const auto* choice = list->front().if_object();
  const auto* message = choice ? object_in(*choice, "message") : nullptr;
  if (!message) return bad_answer("sent a choice without a message");

  ChatAnswer answer{.id = string_in(*body, "id"), .model = string_in(*body, "model")};
  answer.message = {.role = Role::assistant,
                    .content = text_of(message->if_contains("content")),
                    .tool_calls = parse_calls(*message)};
  answer.finish = finish_named(string_in(*choice, "finish_reason"), !answer.message.tool_calls.empty());
  return with_defaults(std::move(answer), request, parse_usage(*body), id_prefix);
}

json::object usage_to_wire(const TokenUsage& usage, const json::storage_ptr& memory) {
  json::object wire(
      {{"prompt_tokens", usage.input}, {"completion_tokens", usage.output}, {"total_tokens", usage.total()}}, memory);
  if (usage.cached > 0) wire["prompt_tokens_details"] = json::object{{"cached_tokens", usage.cached}};
  if (usage.reasoning > 0) wire["completion_tokens_details"] = json::object{{"reasoning_tokens", usage.reasoning}};
  if (usage.estimated) wire["estimated"] = true;
  return wire;
}

json::object to_wire(const ChatAnswer& answer, const json::storage_ptr& memory) {
  json::object message({{"role", "assistant"}, {"content", answer.message.content}}, memory);
  if (!answer.message.tool_calls.empty()) {
    if (answer.message.content.empty()) message["content"] = nullptr;
    message["tool_calls"] = calls_to_wire(answer.message.tool_calls, memory);
  }
  json::object choice({{"index", 0}, {"message", std::move(message)}, {"finish_reason", wire_name(answer.finish)}},
                      memory);
  json::array choices(memory);
  choices.push_back(std::move(choice));
  return json::object({{"id", answer.id},
                       {"object", "chat.completion"},
                       {"created", unix_now()},
                       {"model", answer.model},
                       {"provider", answer.provider},
                       {"choices", std::move(choices)},
                       {"usage", usage_to_wire(answer.usage, memory)}},
                      memory);
}

json::object error_body(const web::Error& error) {
  const auto or_null = [](std::string_view text) { return text.empty() ? json::value() : json::value(text); };
  json::object body{{"message", error.message},
                    {"type", error_type(error)},
                    {"code", or_null(code_of(error))},
                    {"param", or_null(field_named_by(error))}};
  for (const auto& [name, value] : limit_members(error.extra)) body[name] = value;
  return {{"error", std::move(body)}};
}

json::object limit_members(const json::object& error) {
  constexpr std::size_t longest = 100;
  json::object members;
  for (const auto* name : {"limit", "used", "resetsAt", "retryAfter", "cap"}) {
    const auto* value = error.if_contains(name);
    if (!value) continue;
    const auto* text = value->if_string();
    if (value->is_number() || (text && text->size() <= longest)) members[name] = *value;
  }
  return members;
}

json::value error_schema() {
  const json::object text{{"type", "string"}}, text_or_null{{"type", json::array{"string", "null"}}};
  const json::object error{
      {"type", "object"},
      {"required", json::array{"message", "type", "code", "param"}},
      {"properties", json::object{{"message", text}, {"type", text}, {"code", text_or_null}, {"param", text_or_null}}}};
  return json::object{
      {"type", "object"}, {"required", json::array{"error"}}, {"properties", json::object{{"error", error}}}};
}

web::ErrorForm error_form() { return {.prefix = "/v1", .body = error_body}; }

}  // namespace models::openai
