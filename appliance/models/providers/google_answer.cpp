// The answer half of google_wire.h.
#include <algorithm>
#include <boost/json.hpp>

#include "appliance/models/providers/google_wire.h"
#include "appliance/models/providers/text_joiner.h"
#include "appliance/models/providers/wire_json.h"
#include "web/json.h"

namespace models::google {

namespace json = boost::json;

namespace {

Finish finish_of(std::string_view reason, bool has_calls) {
  if (reason == "MAX_TOKENS") return Finish::length;
  if (reason.empty() || reason == "STOP") return has_calls ? Finish::tool_calls : Finish::stop;
  return Finish::content_filter;  // SAFETY, RECITATION, BLOCKLIST, PROHIBITED_CONTENT, ...
}

// The model wrote a call that the vendor cannot read: an error, which the provider retries once.
bool is_broken_call(std::string_view reason) {
  return reason == malformed_call || reason == "UNEXPECTED_TOOL_CALL" || reason == "TOO_MANY_TOOL_CALLS";
}

// Thoughts are charged as output and counted apart from the answer.
std::optional<TokenUsage> usage_of(const json::object& body) {
  const auto* usage = web::object_member(body, "usageMetadata");
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
  std::string text, thought, finish, finish_message, block_reason;
  std::string signature;  // of the thought or the text
  std::vector<Part> media;
  json::array annotations;
  std::vector<ToolCall> calls;
  bool has_candidate = false;
};

// Of search results: {groundingMetadata: {groundingChunks: [{web: {uri, title}}]}}.
void add_sources(const json::object& candidate, json::array& annotations) {
  const auto* metadata = web::object_member(candidate, "groundingMetadata");
  const auto* chunks = metadata ? web::array_member(*metadata, "groundingChunks") : nullptr;
  if (!chunks) return;
  for (const auto& chunk : *chunks) {
    const auto url = web::string_at(chunk, "/web/uri");
    if (url.empty()) continue;
    annotations.push_back(
        json::object{{"type", "url_citation"},
                     {"url_citation", json::object{{"url", url}, {"title", web::string_at(chunk, "/web/title")}}}});
  }
}

Part parse_media(const json::object& data) {
  const auto type = web::string_member(data, "mimeType"), bytes = web::string_member(data, "data");
  if (type.starts_with("audio/")) return {.url = bytes, .kind = PartKind::audio};
  return {.url = "data:" + type + ";base64," + bytes, .kind = PartKind::image};
}

Piece piece_of(const json::object& body) {
  Piece piece;
  if (const auto* feedback = web::object_member(body, "promptFeedback"))
    piece.block_reason = web::string_member(*feedback, "blockReason");
  const auto* candidates = web::array_member(body, "candidates");
  const auto* candidate = candidates && !candidates->empty() ? candidates->front().if_object() : nullptr;
  if (!candidate) return piece;
  piece.has_candidate = true;
  piece.finish = web::string_member(*candidate, "finishReason");
  piece.finish_message = web::string_member(*candidate, "finishMessage");
  add_sources(*candidate, piece.annotations);
  const auto* content = web::object_member(*candidate, "content");
  const auto* parts = content ? web::array_member(*content, "parts") : nullptr;
  if (!parts) return piece;
  for (const auto& entry : *parts) {
    const auto* part = entry.if_object();
    if (!part) continue;
    const auto* thought = part->if_contains("thought");
    const auto text = web::string_member(*part, "text"), signature = web::string_member(*part, "thoughtSignature");
    (thought && *thought == true ? piece.thought : piece.text) += text;
    if (const auto* data = web::object_member(*part, "inlineData")) piece.media.push_back(parse_media(*data));
    const auto* call = web::object_member(*part, "functionCall");
    if (!call) {
      if (!signature.empty()) piece.signature = signature;
      continue;
    }
    const auto* args = call->if_contains("args");
    ToolCall made{.id = web::string_member(*call, "id"),
                  .name = web::string_member(*call, "name"),
                  .arguments = args ? json::serialize(*args) : "{}"};
    if (made.id.empty()) made.id = new_call_id();
    made.signature = signature;
    piece.calls.push_back(checked_call(std::move(made)));
  }
  return piece;
}

constexpr std::string_view id_prefix = "gen-", thought_format = "google-gemini-v1";

Reasoning thought_of(const Piece& piece) {
  return {.text = joined_text(piece.thought), .signature = piece.signature, .format = std::string(thought_format)};
}

std::string broken_call_message(const Piece& piece) {
  return piece.finish + (piece.finish_message.empty() ? "" : ": " + piece.finish_message);
}

void name(ChatAnswer& answer, const json::object& body) {
  if (answer.id.empty()) answer.id = web::string_member(body, "responseId");
  if (answer.model.empty()) answer.model = web::string_member(body, "modelVersion");
}

}  // namespace

web::Result<ChatAnswer> parse_answer(std::string_view text, const ChatRequest& request) {
  const auto value = parse_object(text);
  const auto* body = value.if_object();
  if (!body) return bad_answer("sent an answer that is not a JSON object");
  auto piece = piece_of(*body);
  if (!piece.has_candidate && piece.block_reason.empty()) {
    if (const auto reported = error_in(*body)) return bad_answer("said: " + reported->message);
    return bad_answer("sent an answer without candidates");
  }
  if (is_broken_call(piece.finish)) {
    auto broken = bad_answer("ended its answer with " + broken_call_message(piece));
    broken.code = malformed_call;
    return broken;
  }
  ChatAnswer answer;
  name(answer, *body);
  answer.message = {.role = Role::assistant,
                    .content = joined_text(std::move(piece.text)),
                    .tool_calls = std::move(piece.calls),
                    .parts = std::move(piece.media),
                    .annotations = std::move(piece.annotations)};
  if (!piece.thought.empty() || !piece.signature.empty()) answer.message.reasoning.push_back(thought_of(piece));
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
  if ((reported_error_ = error_in(*body))) return false;
  name(answer_, *body);
  auto piece = piece_of(*body);
  if (is_broken_call(piece.finish)) {
    reported_error_ = ReportedError{.type = std::string(malformed_call), .message = broken_call_message(piece)};
    return false;
  }
  add(std::move(piece.text), std::move(piece.thought), std::move(piece.signature));
  auto& message = answer_.message;
  for (auto& part : piece.media) {
    message.parts.push_back(part);
    listener_.other({.part = std::move(part)});
  }
  if (!piece.annotations.empty()) {
    message.annotations.insert(message.annotations.end(), piece.annotations.begin(), piece.annotations.end());
    listener_.other({.annotations = std::move(piece.annotations)});
  }
  for (auto& call : piece.calls) {
    const auto place = message.tool_calls.size();
    if (place >= max_tool_calls) break;
    pass_call(place, call, listener_);
    message.tool_calls.push_back(std::move(call));
  }
  if (auto usage = usage_of(*body)) {
    usage_ = *usage;
    listener_.usage(*usage_);
  }
  if (!piece.finish.empty() || !piece.block_reason.empty()) {
    finish_ = piece.finish.empty() ? piece.block_reason : piece.finish;
    complete_ = true;
  }
  return true;
}

void AnswerStream::add(std::string text, std::string thought, std::string signature) {
  auto& message = answer_.message;
  if (!thought.empty() || !signature.empty()) {
    Reasoning piece{
        .text = thoughts_.add(thought), .signature = std::move(signature), .format = std::string(thought_format)};
    if (message.reasoning.empty()) message.reasoning.push_back({.format = piece.format});
    auto& block = message.reasoning.back();
    block.text += piece.text;
    if (!piece.signature.empty()) block.signature = piece.signature;
    listener_.other({.block = message.reasoning.size() - 1, .reasoning = std::move(piece)});
  }
  const auto said = text_.add(text);
  if (said.empty()) return;
  message.content += said;
  listener_.text(said);
}

ChatAnswer AnswerStream::take(const ChatRequest& request) {
  answer_.message.role = Role::assistant;
  answer_.finish = finish_of(finish_, !answer_.message.tool_calls.empty());
  return with_defaults(std::move(answer_), request, usage_, id_prefix);
}

}  // namespace models::google
