// The answer half of anthropic_wire.h.
#include <boost/json.hpp>

#include "appliance/models/providers/anthropic_wire.h"
#include "appliance/models/providers/wire_json.h"
#include "web/json.h"

namespace models::anthropic {

namespace json = boost::json;

namespace {

Finish finish_of(std::string_view stop_reason, bool has_calls) {
  if (stop_reason == "max_tokens" || stop_reason == "model_context_window_exceeded") return Finish::length;
  if (stop_reason == "refusal") return Finish::content_filter;
  return has_calls ? Finish::tool_calls : Finish::stop;
}

// Input tokens are reported in three counts: fresh, read from the cache and written to it.
std::optional<TokenUsage> usage_of(const json::object& usage) {
  const auto fresh = token_count_in(usage, "input_tokens"), output = token_count_in(usage, "output_tokens");
  if (!fresh || !output) return std::nullopt;
  const auto read = optional_token_count_in(usage, "cache_read_input_tokens");
  const auto written = optional_token_count_in(usage, "cache_creation_input_tokens");
  if (!read || !written) return std::nullopt;
  return TokenUsage{.input = *fresh + *read + *written, .output = *output, .cached = *read, .cache_written = *written};
}

constexpr std::string_view id_prefix = "msg_", thinking_format = "anthropic-claude-v1";

std::optional<Reasoning> parse_thinking(const json::object& block) {
  const auto type = web::string_member(block, "type");
  if (type == "thinking")
    return Reasoning{.text = joined_text(web::string_member(block, "thinking")),
                     .signature = web::string_member(block, "signature"),
                     .format = std::string(thinking_format)};
  if (type == "redacted_thinking")
    return Reasoning{.sealed = web::string_member(block, "data"), .format = std::string(thinking_format)};
  return std::nullopt;
}

// {type: text, citations: [{type: web_search_result_location, url, title}]}
void add_citations(const json::object& block, json::array& annotations) {
  const auto* citations = web::array_member(block, "citations");
  if (!citations) return;
  for (const auto& citation : *citations) {
    const auto url = web::string_member(citation, "url");
    if (url.empty()) continue;
    annotations.push_back(
        json::object{{"type", "url_citation"},
                     {"url_citation", json::object{{"url", url}, {"title", web::string_member(citation, "title")}}}});
  }
}

}  // namespace

web::Result<ChatAnswer> parse_answer(std::string_view text, const ChatRequest& request) {
  const auto value = parse_object(text);
  const auto* body = value.if_object();
  if (!body) return bad_answer("sent an answer that is not a JSON object");
  const auto* content = web::array_member(*body, "content");
  if (!content) {
    if (const auto reported = error_in(*body)) return bad_answer("said: " + reported->message);
    return bad_answer("sent an answer without content");
  }
  ChatAnswer answer{.id = web::string_member(*body, "id"), .model = web::string_member(*body, "model")};
  answer.message.role = Role::assistant;
  for (const auto& entry : *content) {
    const auto* block = entry.if_object();
    if (!block) continue;
    const auto type = web::string_member(*block, "type");
    if (type == "text") {
      answer.message.content += joined_text(web::string_member(*block, "text"));
      add_citations(*block, answer.message.annotations);
    }
    if (auto thought = parse_thinking(*block)) answer.message.reasoning.push_back(std::move(*thought));
    if (type != "tool_use") continue;
    ToolCall call{.id = web::string_member(*block, "id"), .name = web::string_member(*block, "name")};
    const auto* input = block->if_contains("input");
    call.arguments = input ? json::serialize(*input) : "{}";
    if (call.name == answer_tool) {
      answer.message.content += call.arguments;
      continue;
    }
    answer.message.tool_calls.push_back(checked_call(std::move(call)));
  }
  answer.finish = finish_of(web::string_member(*body, "stop_reason"), !answer.message.tool_calls.empty());
  const auto* reported = web::object_member(*body, "usage");
  return with_defaults(std::move(answer), request, reported ? usage_of(*reported) : std::nullopt, id_prefix);
}

bool AnswerStream::event(std::string_view data) {
  const auto value = parse_object(data);
  const auto* event = value.if_object();
  if (!event) {
    reported_error_ = ReportedError{.type = "", .message = "an event that is not a JSON object"};
    return false;
  }
  const auto type = web::string_member(*event, "type");
  if ((reported_error_ = error_in(*event))) return false;
  const auto merge_usage = [this](const json::object& holder) {
    // The counts of later events are totals; those that are not repeated stay.
    if (const auto* usage = web::object_member(holder, "usage"))
      for (const auto& count : *usage)
        if (count.value().is_number()) usage_[count.key()] = count.value();
    if (const auto usage = usage_of(usage_)) listener_.usage(*usage);
  };
  if (type == "message_start") {
    if (const auto* message = web::object_member(*event, "message")) {
      answer_.id = web::string_member(*message, "id");
      answer_.model = web::string_member(*message, "model");
      merge_usage(*message);
    }
  } else if (type == "content_block_start") {
    begin_block(*event);
  } else if (type == "content_block_delta") {
    grow_block(*event);
  } else if (type == "content_block_stop") {
    end_block(*event);
  } else if (type == "message_delta") {
    if (const auto* delta = web::object_member(*event, "delta"))
      stop_reason_ = web::string_member(*delta, "stop_reason");
    merge_usage(*event);
  } else if (type == "message_stop") {
    complete_ = true;
    return false;
  }
  return true;
}

void AnswerStream::say(std::string_view text) {
  if (text.empty()) return;
  const auto piece = text_.add(text);
  if (piece.empty()) return;
  answer_.message.content += piece;
  listener_.text(piece);
}

void AnswerStream::think(std::int64_t block, Reasoning piece) {
  auto& blocks = answer_.message.reasoning;
  const auto [place, is_new] = thoughts_.try_emplace(block, blocks.size());
  if (is_new) {
    if (blocks.size() >= max_reasoning_blocks) return void(thoughts_.erase(place));
    blocks.push_back({.format = std::string(thinking_format)});
  }
  piece.text = thinking_.add(piece.text);
  auto& whole = blocks[place->second];
  whole.text += piece.text;
  whole.signature += piece.signature;
  whole.sealed += piece.sealed;
  piece.signature = piece.signature.empty() ? std::string() : whole.signature;
  piece.format = thinking_format;
  listener_.other({.block = place->second, .reasoning = std::move(piece)});
}

void AnswerStream::begin_block(const json::object& event) {
  const auto* block = web::object_member(event, "content_block");
  if (!block) return;
  const auto index = count_in(event, "index").value_or(0);
  say(web::string_member(*block, "text"));
  if (auto thought = parse_thinking(*block)) think(index, std::move(*thought));
  if (web::string_member(*block, "type") != "tool_use") return;
  // Some servers give the whole input here.
  const auto* input = web::object_member(*block, "input");
  const auto whole = input && !input->empty() ? json::serialize(*input) : std::string();
  auto name = web::string_member(*block, "name");
  if (name == answer_tool) {
    answer_block_ = index;
    return say(whole);
  }
  auto& calls = answer_.message.tool_calls;
  if (calls.size() >= max_tool_calls) return;
  auto id = web::string_member(*block, "id");
  calls_[index] = calls.size();
  calls.push_back({.id = id.empty() ? new_call_id() : std::move(id), .name = std::move(name), .arguments = whole});
  listener_.call(calls.size() - 1, calls.back().id, calls.back().name, whole);
}

void AnswerStream::grow_block(const json::object& event) {
  const auto* delta = web::object_member(event, "delta");
  if (!delta) return;
  const auto index = count_in(event, "index").value_or(0);
  say(web::string_member(*delta, "text"));
  auto thinking = web::string_member(*delta, "thinking"), signature = web::string_member(*delta, "signature");
  if (!thinking.empty() || !signature.empty())
    think(index, {.text = std::move(thinking), .signature = std::move(signature)});
  if (const auto* citation = web::object_member(*delta, "citation")) {
    json::array annotations;
    add_citations({{"citations", json::array{*citation}}}, annotations);
    if (!annotations.empty()) {
      auto& all = answer_.message.annotations;
      all.insert(all.end(), annotations.begin(), annotations.end());
      listener_.other({.annotations = std::move(annotations)});
    }
  }
  const auto json = web::string_member(*delta, "partial_json");
  if (json.empty()) return;
  if (answer_block_ == index) return say(json);
  const auto call = calls_.find(index);
  if (call == calls_.end()) return;
  const auto piece = arguments_.add(json);
  answer_.message.tool_calls[call->second].arguments += piece;
  listener_.call(call->second, {}, {}, piece);
}

// What a block has left of a character does not belong to the next one.
void AnswerStream::end_block(const json::object&) {
  thinking_.end();
  arguments_.end();
}

ChatAnswer AnswerStream::take(const ChatRequest& request) {
  complete_calls(answer_.message.tool_calls, listener_);
  answer_.message.role = Role::assistant;
  answer_.finish = finish_of(stop_reason_, !answer_.message.tool_calls.empty());
  return with_defaults(std::move(answer_), request, usage_of(usage_), id_prefix);
}

}  // namespace models::anthropic
