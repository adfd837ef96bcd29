// The answer half of anthropic_wire.h.
#include <boost/json.hpp>

#include "appliance/models/providers/anthropic_wire.h"
#include "appliance/models/providers/wire_json.h"

namespace models::anthropic {

namespace json = boost::json;

namespace {

Finish finish_of(std::string_view stop_reason, bool has_calls) {
  if (has_calls) return Finish::tool_calls;
  if (stop_reason == "max_tokens" || stop_reason == "model_context_window_exceeded") return Finish::length;
  if (stop_reason == "refusal") return Finish::content_filter;
  return Finish::stop;
}

// Input tokens are reported in three counts: fresh, read from the cache and written to it.
std::optional<TokenUsage> usage_of(const json::object& usage) {
  const auto fresh = token_count_in(usage, "input_tokens"), output = token_count_in(usage, "output_tokens");
  if (!fresh || !output) return std::nullopt;
  const auto read = optional_token_count_in(usage, "cache_read_input_tokens");
  const auto written = optional_token_count_in(usage, "cache_creation_input_tokens");
  if (!read || !written) return std::nullopt;
  return TokenUsage{.input = *fresh + *read + *written, .output = *output, .cached = *read};
}

constexpr std::string_view id_prefix = "msg_";

}  // namespace

web::Result<ChatAnswer> parse_answer(std::string_view text, const ChatRequest& request) {
  const auto value = parse_object(text);
  const auto* body = value.if_object();
  if (!body) return bad_answer("sent an answer that is not a JSON object");
  const auto* content = array_in(*body, "content");
  if (!content) return bad_answer("sent an answer without content");
  ChatAnswer answer{.id = string_in(*body, "id"), .model = string_in(*body, "model")};
  answer.message.role = Role::assistant;
  for (const auto& entry : *content) {
    const auto* block = entry.if_object();
    if (!block) continue;
    const auto type = string_in(*block, "type");
    if (type == "text") answer.message.content += string_in(*block, "text");
    if (type != "tool_use") continue;
    ToolCall call{.id = string_in(*block, "id"), .name = string_in(*block, "name")};
    const auto* input = block->if_contains("input");
    call.arguments = input ? json::serialize(*input) : "{}";
    answer.message.tool_calls.push_back(checked_call(std::move(call)));
  }
  answer.finish = finish_of(string_in(*body, "stop_reason"), !answer.message.tool_calls.empty());
  const auto* reported = object_in(*body, "usage");
  return with_defaults(std::move(answer), request, reported ? usage_of(*reported) : std::nullopt, id_prefix);
}

bool AnswerStream::event(std::string_view data) {
  const auto value = parse_object(data);
  const auto* event = value.if_object();
  if (!event) {
    reported_error_ = ReportedError{.type = "", .message = "an event that is not a JSON object"};
    return false;
  }
  const auto type = string_in(*event, "type");
  if (type == "error") {
    const auto* failure = object_in(*event, "error");
    reported_error_ =
        failure ? ReportedError{.type = string_in(*failure, "type"), .message = string_in(*failure, "message")}
                : ReportedError{};
    return false;
  }
  const auto merge_usage = [this](const json::object& holder) {
    // The counts of later events are totals; those that are not repeated stay.
    if (const auto* usage = object_in(holder, "usage"))
      for (const auto& count : *usage)
        if (count.value().is_number()) usage_[count.key()] = count.value();
  };
  if (type == "message_start") {
    if (const auto* message = object_in(*event, "message")) {
      answer_.id = string_in(*message, "id");
      answer_.model = string_in(*message, "model");
      merge_usage(*message);
    }
  } else if (type == "content_block_start") {
    begin_block(*event);
  } else if (type == "content_block_delta") {
    grow_block(*event);
  } else if (type == "message_delta") {
    if (const auto* delta = object_in(*event, "delta")) stop_reason_ = string_in(*delta, "stop_reason");
    merge_usage(*event);
  } else if (type == "message_stop") {
    complete_ = true;
    return false;
  }
  return true;
}

void AnswerStream::begin_block(const json::object& event) {
  const auto* block = object_in(event, "content_block");
  if (!block) return;
  if (const auto text = string_in(*block, "text"); !text.empty()) {
    answer_.message.content += text;
    listener_.text(text);
  }
  if (string_in(*block, "type") != "tool_use") return;
  auto& calls = answer_.message.tool_calls;
  calls_[count_in(event, "index").value_or(0)] = calls.size();
  calls.push_back({.id = string_in(*block, "id"), .name = string_in(*block, "name")});
  listener_.call(calls.size() - 1, calls.back().id, calls.back().name, {});
}

void AnswerStream::grow_block(const json::object& event) {
  const auto* delta = object_in(event, "delta");
  if (!delta) return;
  if (const auto text = string_in(*delta, "text"); !text.empty()) {
    answer_.message.content += text;
    listener_.text(text);
  }
  const auto piece = string_in(*delta, "partial_json");
  const auto call = calls_.find(count_in(event, "index").value_or(0));
  if (piece.empty() || call == calls_.end()) return;
  answer_.message.tool_calls[call->second].arguments += piece;
  listener_.call(call->second, {}, {}, piece);
}

ChatAnswer AnswerStream::take(const ChatRequest& request) {
  for (auto& call : answer_.message.tool_calls) call = checked_call(std::move(call));
  answer_.message.role = Role::assistant;
  answer_.finish = finish_of(stop_reason_, !answer_.message.tool_calls.empty());
  return with_defaults(std::move(answer_), request, usage_of(usage_), id_prefix);
}

}  // namespace models::anthropic
