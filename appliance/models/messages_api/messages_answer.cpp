// The answer half of messages_wire.h.
#include <boost/json.hpp>

#include "appliance/foundation/crypto/random.h"
#include "appliance/models/client_wire.h"
#include "appliance/models/google_api/generate_wire.h"
#include "appliance/models/messages_api/messages_wire.h"
#include "appliance/models/providers/openai_wire.h"
#include "appliance/models/providers/provider.h"
#include "web/protocol/event_text.h"

namespace models::messages {

namespace json = boost::json;

namespace {

constexpr std::string_view reasoning_mark = "agentbox:", call_mark = "agentbox-call:";
constexpr std::string_view own_provider = "anthropic";

// Takes the text up to the next colon off the front.
std::string take_field(std::string_view& text) {
  const auto colon = text.find(':');
  std::string field(text.substr(0, colon));
  text.remove_prefix(colon == text.npos ? text.size() : colon + 1);
  return field;
}

std::string event(std::string_view type, json::object members) {
  members["type"] = type;
  std::string text;
  web::append_event(text, json::serialize(members), type);
  return text;
}

std::string delta_event(std::size_t index, json::object delta) {
  return event("content_block_delta", {{"index", index}, {"delta", std::move(delta)}});
}

std::string stop_event(std::size_t index) { return event("content_block_stop", {{"index", index}}); }

json::object text_block(std::string_view text) { return {{"type", "text"}, {"text", text}}; }

json::object sealed_block(std::string_view data) { return {{"type", "redacted_thinking"}, {"data", data}}; }

json::object reasoning_block(const Reasoning& reasoning) {
  if (!reasoning.sealed.empty() && reasoning.text.empty())
    return sealed_block(pack_reasoning(reasoning, reasoning.sealed));
  return {{"type", "thinking"},
          {"thinking", reasoning.text},
          {"signature", pack_reasoning(reasoning, reasoning.signature)}};
}

json::object call_block(const ToolCall& call) {
  return {{"type", "tool_use"}, {"id", call.id}, {"name", call.name}, {"input", arguments_object(call)}};
}

// Fresh, cached and written tokens are counted apart.
json::object usage_to_wire(const TokenUsage& usage) {
  return {{"input_tokens", usage.input - usage.cached - usage.cache_written},
          {"cache_creation_input_tokens", usage.cache_written},
          {"cache_read_input_tokens", usage.cached},
          {"output_tokens", usage.output}};
}

std::string_view stop_reason(const ChatAnswer& answer) {
  switch (answer.finish) {
    case Finish::tool_calls:
      return "tool_use";
    case Finish::length:
      return "max_tokens";
    case Finish::content_filter:
      return "refusal";
    case Finish::stop:
      break;
  }
  return answer.message.refusal.empty() ? "end_turn" : "refusal";
}

std::string message_id() { return "msg_" + crypto::random_id(24); }

json::object message(std::string_view id, std::string_view model) {
  return {{"id", id},
          {"type", "message"},
          {"role", "assistant"},
          {"model", model},
          {"content", json::array()},
          {"stop_reason", nullptr},
          {"stop_sequence", nullptr},
          {"usage", usage_to_wire({})}};
}

std::string_view error_type(const web::Error& error) {
  switch (error.kind) {
    case web::Kind::invalid:
    case web::Kind::conflict:
      return "invalid_request_error";
    case web::Kind::unauthenticated:
      return "authentication_error";
    case web::Kind::payment_required:
      return "billing_error";
    case web::Kind::forbidden:
      return "permission_error";
    case web::Kind::not_found:
      return "not_found_error";
    case web::Kind::too_large:
      return "request_too_large";
    case web::Kind::too_many:
      return "rate_limit_error";
    case web::Kind::unavailable:
      return "overloaded_error";
    case web::Kind::timeout:
      return "timeout_error";
    default:
      return "api_error";
  }
}

}  // namespace

std::string pack_reasoning(const Reasoning& reasoning, std::string_view payload) {
  if (reasoning.provider == own_provider || reasoning.provider.empty()) return std::string(payload);
  std::string packed(reasoning_mark);
  for (const std::string_view field :
       {std::string_view(reasoning.provider), std::string_view(reasoning.format), std::string_view(reasoning.id),
        std::string_view(reasoning.is_summary ? "summary" : "")})
    packed.append(field).append(":");
  return packed.append(payload);
}

Reasoning unpack_reasoning(std::string_view packed) {
  if (!packed.starts_with(reasoning_mark))
    return {.provider = packed.empty() ? std::string() : std::string(own_provider), .signature = std::string(packed)};
  packed.remove_prefix(reasoning_mark.size());
  Reasoning reasoning;
  reasoning.provider = take_field(packed);
  reasoning.format = take_field(packed);
  reasoning.id = take_field(packed);
  reasoning.is_summary = !take_field(packed).empty();
  reasoning.signature = packed;
  return reasoning;
}

std::string pack_call_signature(const CallSignature& signature) {
  return std::string(call_mark) + signature.provider + ":" + signature.call + ":" + signature.signature;
}

std::optional<CallSignature> unpack_call_signature(std::string_view packed) {
  if (!packed.starts_with(call_mark)) return std::nullopt;
  packed.remove_prefix(call_mark.size());
  CallSignature signature;
  signature.provider = take_field(packed);
  signature.call = take_field(packed);
  signature.signature = packed;
  return signature;
}

Output::Output(std::string_view model) : id_(message_id()), model_(model) {}

std::string Output::begin() { return event("message_start", {{"message", message(id_, model_)}}) + ping(); }

std::string Output::ping() { return event("ping", {}); }

std::string Output::open(json::object block, std::size_t& index) {
  index = blocks_++;
  return event("content_block_start", {{"index", index}, {"content_block", std::move(block)}});
}

std::string Output::close() {
  if (!open_) return {};
  const auto index = open_->index;
  open_.reset();
  return stop_event(index);
}

std::string Output::whole_block(json::object block) {
  auto events = close();
  std::size_t index = 0;
  events += open(std::move(block), index);
  return events + stop_event(index);
}

std::string Output::take_text(std::string_view text) {
  std::string events;
  if (text.empty()) return events;
  if (!open_ || open_->kind != Kind::text) {
    events = close();
    std::size_t index = 0;
    events += open(text_block(""), index);
    open_ = {.kind = Kind::text, .index = index};
  }
  return events + delta_event(open_->index, {{"type", "text_delta"}, {"text", text}});
}

std::string Output::take_call(const AnswerPiece& piece) {
  std::string events;
  auto known = calls_.find(*piece.call);
  if (known == calls_.end()) {
    events = close();
    Call call{.index = 0, .id = piece.id.empty() ? "toolu_" + crypto::random_id(24) : piece.id};
    events +=
        open({{"type", "tool_use"}, {"id", call.id}, {"name", piece.name}, {"input", json::object()}}, call.index);
    known = calls_.emplace(*piece.call, std::move(call)).first;
  }
  const auto& call = known->second;
  if (!piece.arguments.empty())
    events += delta_event(call.index, {{"type", "input_json_delta"}, {"partial_json", piece.arguments}});
  if (!piece.signature.empty())
    events += whole_block(sealed_block(
        pack_call_signature({.provider = piece.signed_by, .call = call.id, .signature = piece.signature})));
  return events;
}

std::string Output::take_reasoning(const AnswerPiece& piece) {
  const auto& reasoning = piece.reasoning;
  if (!reasoning.sealed.empty()) return whole_block(sealed_block(pack_reasoning(reasoning, reasoning.sealed)));
  std::string events;
  if (!open_ || open_->kind != Kind::reasoning || open_->block != *piece.block) {
    events = close();
    std::size_t index = 0;
    events += open({{"type", "thinking"}, {"thinking", ""}, {"signature", ""}}, index);
    open_ = {.kind = Kind::reasoning, .index = index, .block = *piece.block};
    // Unsigned reasoning is named at once: nothing shows which piece of it is the last.
    if (reasoning.signature.empty())
      if (const auto packed = pack_reasoning(reasoning, ""); !packed.empty())
        events += delta_event(index, {{"type", "signature_delta"}, {"signature", packed}});
  }
  if (!reasoning.text.empty())
    events += delta_event(open_->index, {{"type", "thinking_delta"}, {"thinking", reasoning.text}});
  if (!reasoning.signature.empty())
    events += delta_event(open_->index,
                          {{"type", "signature_delta"}, {"signature", pack_reasoning(reasoning, reasoning.signature)}});
  return events;
}

std::string Output::take(const AnswerPiece& piece) {
  if (piece.call) return take_call(piece);
  if (piece.block) return take_reasoning(piece);
  return take_text(piece.refusal.empty() ? piece.text : piece.refusal);
}

std::string Output::finish(const ChatAnswer& answer) {
  auto events = close();
  for (const auto& [call, open] : calls_) events += stop_event(open.index);
  calls_.clear();
  events += event("message_delta", {{"delta", {{"stop_reason", stop_reason(answer)}, {"stop_sequence", nullptr}}},
                                    {"usage", usage_to_wire(answer.usage)}});
  return events + event("message_stop", {});
}

std::string Output::fail(const web::Error& error) { return event("error", error_body(error)); }

json::object to_wire(const ChatAnswer& answer) {
  auto wire = message(message_id(), answer.model);
  auto& content = wire["content"].as_array();
  for (const auto& reasoning : answer.message.reasoning) content.push_back(reasoning_block(reasoning));
  for (const auto* text : {&answer.message.content, &answer.message.refusal})
    if (!text->empty()) content.push_back(text_block(*text));
  for (const auto& call : answer.message.tool_calls) {
    if (!call.signature.empty())
      content.push_back(sealed_block(
          pack_call_signature({.provider = call.signed_by, .call = call.id, .signature = call.signature})));
    content.push_back(call_block(call));
  }
  wire["stop_reason"] = stop_reason(answer);
  wire["usage"] = usage_to_wire(answer.usage);
  return wire;
}

json::object error_body(const web::Error& error) {
  json::object about{{"type", error_type(error)}, {"message", error.message}};
  if (!error.code.empty()) about["code"] = error.code;
  for (const auto& [name, value] : openai::limit_members(error.extra)) about[name] = value;
  return {{"type", "error"}, {"error", std::move(about)}};
}

json::value error_schema() {
  const json::object text{{"type", "string"}};
  const json::object error{{"type", "object"},
                           {"required", json::array{"type", "message"}},
                           {"properties", json::object{{"type", text}, {"message", text}}}};
  return json::object{{"type", "object"},
                      {"required", json::array{"type", "error"}},
                      {"properties", json::object{{"type", json::object{{"const", "error"}}}, {"error", error}}}};
}

std::vector<web::ErrorForm> error_forms() {
  std::vector<web::ErrorForm> forms;
  for (const char* prefix : {"/v1", "/chat/completions", "/responses", "/embeddings", "/models", "/audio", "/images"})
    forms.push_back({.prefix = prefix, .body = openai::error_body});
  for (const char* prefix : {"/v1/messages", "/v1/v1"}) forms.push_back({.prefix = prefix, .body = error_body});
  forms.push_back({.prefix = "/v1beta", .body = generate::error_body});
  return forms;
}

}  // namespace models::messages
