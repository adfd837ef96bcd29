// The answer half of openai_wire.h.
#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <chrono>

#include "appliance/models/providers/openai_reasoning.h"
#include "appliance/models/providers/openai_wire.h"
#include "appliance/models/providers/provider.h"
#include "appliance/models/providers/text_joiner.h"
#include "appliance/models/providers/wire_json.h"
#include "store/clock.h"
#include "web/json.h"

namespace models::openai {

namespace json = boost::json;

namespace {

// Text, reasoning and images of a content, which is a text or an array of parts.
void read_content(const json::value& content, ReasoningReader& reasoning, Message& message) {
  if (const auto* text = content.if_string()) message.content = joined_text(std::string(*text));
  const auto* parts = content.if_array();
  if (!parts) return;
  std::string joined;
  for (const auto& entry : *parts) {
    const auto* part = entry.if_object();
    if (!part || reasoning.read_part(*part, message.reasoning, nullptr)) continue;
    joined += web::string_member(*part, "text");
    if (auto url = web::string_at(entry, "/image_url/url"); !url.empty())
      message.parts.push_back({.url = std::move(url), .kind = PartKind::image});
  }
  message.content = joined_text(std::move(joined));
}

ToolCall parse_call(const json::object& function, std::string id) {
  ToolCall call{.id = id.empty() ? new_call_id() : std::move(id), .name = web::string_member(function, "name")};
  if (const auto* arguments = function.if_contains("arguments")) {
    const auto* text = arguments->if_string();
    call.arguments = text ? joined_text(std::string(*text)) : json::serialize(*arguments);
  }
  return checked_call(std::move(call));
}

std::vector<ToolCall> parse_answer_calls(const json::object& message) {
  std::vector<ToolCall> calls;
  if (const auto* list = message.if_contains("tool_calls"); list && list->is_array()) {
    for (const auto& entry : list->get_array()) {
      const auto* call = entry.if_object();
      if (!call) continue;
      const auto* function = web::object_member(*call, "function");
      auto id = web::string_member(*call, "id");
      if (std::ranges::find(calls, id, &ToolCall::id) != calls.end()) id.clear();
      calls.push_back(parse_call(function ? *function : *call, std::move(id)));
      read_signature(*call, calls.back());
    }
  } else if (const auto* function = web::object_member(message, "function_call")) {
    calls.push_back(parse_call(*function, {}));
  }
  return calls;
}

Message parse_message(const json::object& wire) {
  Message message{.role = Role::assistant};
  ReasoningReader reasoning;
  reasoning.read(wire, message.reasoning, nullptr);
  if (const auto* content = wire.if_contains("content")) read_content(*content, reasoning, message);
  message.tool_calls = parse_answer_calls(wire);
  message.refusal = web::string_member(wire, "refusal");
  if (const auto* images = web::array_member(wire, "images"))
    for (const auto& each : *images)
      if (auto url = web::string_at(each, "/image_url/url"); !url.empty())
        message.parts.push_back({.url = std::move(url), .kind = PartKind::image});
  if (const auto* audio = web::object_member(wire, "audio")) message.parts.push_back(parse_audio(*audio));
  if (const auto* annotations = web::array_member(wire, "annotations"))
    append_copies(*annotations, message.annotations);
  return message;
}

json::array calls_to_wire(const std::vector<ToolCall>& calls, const json::storage_ptr& memory) {
  json::array wire(memory);
  for (const auto& call : calls) {
    json::object written(
        {{"id", call.id}, {"type", "function"}, {"function", {{"name", call.name}, {"arguments", call.arguments}}}},
        memory);
    if (!call.signature.empty()) written["extra_content"] = signature_to_wire(call.signature, call.signed_by);
    wire.push_back(std::move(written));
  }
  return wire;
}

std::int64_t unix_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(store::now().time_since_epoch()).count();
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
  if (reason == "length" || reason == "max_tokens" || reason == "model_length") return Finish::length;
  if (reason == "content_filter") return Finish::content_filter;
  return has_calls ? Finish::tool_calls : Finish::stop;
}

std::optional<TokenUsage> parse_usage(const json::object& body) {
  const auto* usage = web::object_member(body, "usage");
  if (!usage) return std::nullopt;
  const auto input = token_count_in(*usage, "prompt_tokens");
  const auto output = token_count_in(*usage, "completion_tokens");
  if (!input || !output || *input + *output == 0) return std::nullopt;
  TokenUsage found{.input = *input, .output = *output};
  if (const auto* details = web::object_member(*usage, "prompt_tokens_details")) {
    found.cached = std::min(token_count_in(*details, "cached_tokens").value_or(0), found.input);
    found.cache_written = std::min(token_count_in(*details, "cache_write_tokens").value_or(0), found.input);
  }
  if (const auto* details = web::object_member(*usage, "completion_tokens_details"))
    found.reasoning = std::min(token_count_in(*details, "reasoning_tokens").value_or(0), found.output);
  return found;
}

Part parse_audio(const json::object& audio) {
  return {.text = web::string_member(audio, "transcript"),
          .url = web::string_member(audio, "data"),
          .name = web::string_member(audio, "id"),
          .kind = PartKind::audio};
}

json::object audio_to_wire(const Part& part) {
  json::object audio;
  if (!part.name.empty()) audio["id"] = part.name;
  if (!part.url.empty()) audio["data"] = part.url;
  if (!part.text.empty()) audio["transcript"] = part.text;
  return audio;
}

json::object image_to_wire(const Part& part) {
  return {{"type", "image_url"}, {"image_url", json::object{{"url", part.url}}}};
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
    if (const auto reported = error_in(*body)) return bad_answer("said: " + reported->message);
    return bad_answer("sent an answer without choices");
  }
  const auto* choice = list->front().if_object();
  const auto* message = choice ? web::object_member(*choice, "message") : nullptr;
  if (!message) return bad_answer("sent a choice without a message");

  ChatAnswer answer{.id = web::string_member(*body, "id"), .model = web::string_member(*body, "model")};
  answer.message = parse_message(*message);
  answer.finish = finish_named(web::string_member(*choice, "finish_reason"), !answer.message.tool_calls.empty());
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
  const auto& said = answer.message;
  json::object message({{"role", "assistant"}, {"content", said.content}}, memory);
  if (said.content.empty() && (!said.tool_calls.empty() || !said.refusal.empty())) message["content"] = nullptr;
  if (!said.tool_calls.empty()) message["tool_calls"] = calls_to_wire(said.tool_calls, memory);
  if (!said.reasoning.empty()) {
    if (const auto text = reasoning_text(said.reasoning); !text.empty()) message["reasoning_content"] = text;
    message["reasoning_details"] = details_to_wire(said.reasoning, true);
  }
  if (!said.refusal.empty()) message["refusal"] = said.refusal;
  if (!said.annotations.empty()) message["annotations"] = said.annotations;
  json::array images(memory);
  for (const auto& part : said.parts) {
    if (part.kind == PartKind::audio) message["audio"] = audio_to_wire(part);
    if (part.is_image()) images.push_back(image_to_wire(part));
  }
  if (!images.empty()) message["images"] = std::move(images);
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
