// The answer half of google_wire.h.
#include <algorithm>
#include <boost/json.hpp>

#include "appliance/models/providers/google_wire.h"
#include "appliance/models/providers/wire_json.h"

namespace models::google {

namespace json = boost::json;

namespace {

Finish finish_of(std::string_view reason, bool has_calls) {
  if (has_calls) return Finish::tool_calls;
  if (reason == "MAX_TOKENS") return Finish::length;
  if (reason.empty() || reason == "STOP") return Finish::stop;
  return Finish::content_filter;  // SAFETY, RECITATION, BLOCKLIST, PROHIBITED_CONTENT, ...
}

// Thoughts are charged as output and counted apart from the answer.
std::optional<TokenUsage> usage_of(const json::object& body) {
  const auto* usage = object_in(body, "usageMetadata");
  const auto input = usage ? token_count_in(*usage, "promptTokenCount") : std::nullopt;
  if (!input) return std::nullopt;
  const auto thoughts = optional_token_count_in(*usage, "thoughtsTokenCount");
  const auto said = optional_token_count_in(*usage, "candidatesTokenCount");
  if (!thoughts || !said) return std::nullopt;
  return TokenUsage{.input = *input,
                    .output = *said + *thoughts,
                    .cached = std::min(token_count_in(*usage, "cachedContentTokenCount").value_or(0), *input),
                    .reasoning = *thoughts};
}

// What one answer, or one event of a stream, adds.
struct Piece {
  std::string text, finish, block_reason;
  std::vector<ToolCall> calls;
  bool has_candidate = false;
};

Piece piece_of(const json::object& body, std::size_t calls_before) {
  Piece piece;
  if (const auto* feedback = object_in(body, "promptFeedback"))
    piece.block_reason = string_in(*feedback, "blockReason");
  const auto* candidates = array_in(body, "candidates");
  const auto* candidate = candidates && !candidates->empty() ? candidates->front().if_object() : nullptr;
  if (!candidate) return piece;
  piece.has_candidate = true;
  piece.finish = string_in(*candidate, "finishReason");
  const auto* content = object_in(*candidate, "content");
  const auto* parts = content ? array_in(*content, "parts") : nullptr;
  if (!parts) return piece;
  for (const auto& entry : *parts) {
    const auto* part = entry.if_object();
    if (!part) continue;
    const auto* thought = part->if_contains("thought");
    if (thought && *thought == true) continue;
    piece.text += string_in(*part, "text");
    const auto* call = object_in(*part, "functionCall");
    if (!call) continue;
    const auto* args = call->if_contains("args");
    ToolCall made{.id = string_in(*call, "id"),
                  .name = string_in(*call, "name"),
                  .arguments = args ? json::serialize(*args) : "{}"};
    if (made.id.empty()) made.id = "call_" + std::to_string(calls_before + piece.calls.size());
    piece.calls.push_back(checked_call(std::move(made)));
  }
  return piece;
}

constexpr std::string_view id_prefix = "gen-";

void name(ChatAnswer& answer, const json::object& body) {
  if (answer.id.empty()) answer.id = string_in(body, "responseId");
  if (answer.model.empty()) answer.model = string_in(body, "modelVersion");
}

}  // namespace

web::Result<ChatAnswer> parse_answer(std::string_view text, const ChatRequest& request) {
  const auto value = parse_object(text);
  const auto* body = value.if_object();
  if (!body) return bad_answer("sent an answer that is not a JSON object");
  auto piece = piece_of(*body, 0);
  if (!piece.has_candidate && piece.block_reason.empty()) return bad_answer("sent an answer without candidates");
  ChatAnswer answer;
  name(answer, *body);
  answer.message = {.role = Role::assistant, .content = std::move(piece.text), .tool_calls = std::move(piece.calls)};
  answer.finish =
      finish_of(piece.has_candidate ? piece.finish : piece.block_reason, !answer.message.tool_calls.empty());
  return with_defaults(std::move(answer), request, usage_of(*body), id_prefix);
}

bool AnswerStream::event(std::string_view data) {
  const auto value = parse_object(data);
  const auto* body = value.if_object();
  if (!body) {
    reported_error_ = ReportedError{.type = "", .message = "an event that is not a JSON object"};
    return false;
  }
  if (const auto* failure = object_in(*body, "error")) {
    reported_error_ = ReportedError{.type = string_in(*failure, "status"), .message = string_in(*failure, "message")};
    return false;
  }
  name(answer_, *body);
  if (auto usage = usage_of(*body)) usage_ = *usage;
  auto piece = piece_of(*body, answer_.message.tool_calls.size());
  if (!piece.text.empty()) {
    answer_.message.content += piece.text;
    listener_.text(piece.text);
  }
  for (auto& call : piece.calls) {
    listener_.call(answer_.message.tool_calls.size(), call.id, call.name, call.arguments);
    answer_.message.tool_calls.push_back(std::move(call));
  }
  if (!piece.finish.empty() || !piece.block_reason.empty()) {
    finish_ = piece.finish.empty() ? piece.block_reason : piece.finish;
    complete_ = true;
  }
  return true;
}

ChatAnswer AnswerStream::take(const ChatRequest& request) {
  answer_.message.role = Role::assistant;
  answer_.finish = finish_of(finish_, !answer_.message.tool_calls.empty());
  return with_defaults(std::move(answer_), request, usage_, id_prefix);
}

}  // namespace models::google
