// The answer half of generate_wire.h.
#include <algorithm>
#include <boost/json.hpp>
#include <optional>
#include <utility>

#include "appliance/foundation/crypto/base64.h"
#include "appliance/foundation/crypto/base64url.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/models/client_wire.h"
#include "appliance/models/google_api/generate_wire.h"
#include "appliance/models/providers/openai_wire.h"
#include "web/json.h"
#include "web/routes/reply.h"

namespace models::generate {

namespace json = boost::json;

BOOST_DESCRIBE_STRUCT(Signed, (), (reasoning, signature, signed_by))

namespace {

// In front of what is packed. The whole is base64, because clients take a signature for bytes.
constexpr std::string_view packed_mark = "agentbox:";
constexpr std::string_view own_provider = "google";

json::object text_part(std::string_view text) { return {{"text", text}}; }

json::object thought_part(std::string_view text) { return {{"text", text}, {"thought", true}}; }

// Images are data: addresses; audio is in the format of the request, which is not known here.
std::optional<json::object> media_part(const Part& part) {
  const auto file = inline_image(part.url);
  if (!file && part.kind != PartKind::audio) return std::nullopt;
  const auto type = file ? file->type : std::string_view("audio/wav"), data = file ? file->data : part.url;
  return json::object{{"inlineData", json::object{{"mimeType", type}, {"data", data}}}};
}

json::object call_part(const ToolCall& call) {
  return {{"functionCall", json::object{{"id", call.id}, {"name", call.name}, {"args", arguments_object(call)}}}};
}

// Google's own reasoning needs no more than its signature; of others everything is kept.
bool is_own(const Reasoning& block) { return block.provider == own_provider; }

std::string signature_of(const Message& message, const ToolCall* call) {
  Signed kept;
  if (call) {
    kept.signature = call->signature;
    kept.signed_by = call->signed_by;
  }
  std::ranges::copy_if(message.reasoning, std::back_inserter(kept.reasoning),
                       [](const auto& block) { return !is_own(block); });
  if (!kept.signature.empty() || !kept.reasoning.empty()) return pack(kept);
  if (call) return {};
  for (const auto& block : message.reasoning)
    if (!block.signature.empty()) return block.signature;
  return {};
}

// The first call carries the signature, as at Google; without calls the text does.
json::array call_parts(const Message& message) {
  json::array parts;
  for (const auto& call : message.tool_calls) {
    auto part = call_part(call);
    const bool is_first = parts.empty();
    auto signature = is_first                 ? signature_of(message, &call)
                     : call.signature.empty() ? std::string()
                                              : pack(Signed{{}, call.signature, call.signed_by});
    if (!signature.empty()) part["thoughtSignature"] = signature;
    parts.push_back(std::move(part));
  }
  return parts;
}

std::string_view finish_reason(const ChatAnswer& answer) {
  switch (answer.finish) {
    case Finish::length:
      return "MAX_TOKENS";
    case Finish::content_filter:
      return "SAFETY";
    case Finish::stop:
    case Finish::tool_calls:
      break;
  }
  return answer.message.refusal.empty() ? "STOP" : "SAFETY";
}

// Thoughts are counted apart from the answer, cached tokens within the prompt.
json::object usage_to_wire(const TokenUsage& usage) {
  json::object wire{{"promptTokenCount", usage.input},
                    {"candidatesTokenCount", usage.output - usage.reasoning},
                    {"totalTokenCount", usage.total()}};
  if (usage.reasoning > 0) wire["thoughtsTokenCount"] = usage.reasoning;
  if (usage.cached > 0) wire["cachedContentTokenCount"] = usage.cached;
  return wire;
}

json::object& candidate_of(json::object& wire) { return wire["candidates"].as_array().front().as_object(); }

// The sources that an answer cites: {groundingChunks: [{web: {uri, title}}]}.
json::object grounding_of(const json::array& annotations) {
  json::array chunks;
  for (const auto& annotation : annotations) {
    const auto url = web::string_at(annotation, "/url_citation/url");
    if (url.empty()) continue;
    const json::object page{{"uri", url}, {"title", web::string_at(annotation, "/url_citation/title")}};
    chunks.push_back(json::object{{"web", page}});
  }
  return {{"groundingChunks", std::move(chunks)}};
}

void add_end(json::object& wire, const ChatAnswer& answer) {
  auto& candidate = candidate_of(wire);
  candidate["finishReason"] = finish_reason(answer);
  if (!answer.message.refusal.empty()) candidate["finishMessage"] = answer.message.refusal;
  if (!answer.message.annotations.empty()) candidate["groundingMetadata"] = grounding_of(answer.message.annotations);
  wire["usageMetadata"] = usage_to_wire(answer.usage);
}

struct Status {
  int code;
  std::string_view name;
};

// A status that the dispatcher gives itself, which no kind has: 405 or 415.
std::optional<Status> dispatcher_status(const web::Error& error) {
  const auto* status = error.extra.if_contains("status");
  if (error.kind != web::Kind::invalid || !status || !status->is_int64()) return std::nullopt;
  const auto code = static_cast<int>(status->get_int64());
  return Status{code, code == 405 ? "UNIMPLEMENTED" : "INVALID_ARGUMENT"};
}

Status status_of(const web::Error& error) {
  if (const auto own = dispatcher_status(error)) return *own;
  switch (error.kind) {
    case web::Kind::invalid:
    case web::Kind::too_large:
      return {web::http_status(error.kind), "INVALID_ARGUMENT"};
    case web::Kind::unauthenticated:
      return {web::http_status(error.kind), "UNAUTHENTICATED"};
    case web::Kind::payment_required:
      return {web::http_status(error.kind), "FAILED_PRECONDITION"};
    case web::Kind::forbidden:
      return {web::http_status(error.kind), "PERMISSION_DENIED"};
    case web::Kind::not_found:
      return {web::http_status(error.kind), "NOT_FOUND"};
    case web::Kind::conflict:
      return {web::http_status(error.kind), "ABORTED"};
    case web::Kind::too_many:
      return {web::http_status(error.kind), "RESOURCE_EXHAUSTED"};
    case web::Kind::unavailable:
      return {web::http_status(error.kind), "UNAVAILABLE"};
    case web::Kind::timeout:
      return {web::http_status(error.kind), "DEADLINE_EXCEEDED"};
    default:
      return {web::http_status(error.kind), "INTERNAL"};
  }
}

// The code of the box's contract and the exceeded limit, as google.rpc.ErrorInfo, whose metadata are texts.
json::array details_of(const web::Error& error) {
  json::object metadata;
  for (const auto& [name, value] : openai::limit_members(error.extra))
    metadata[name] = value.is_string() ? value : json::value(json::serialize(value));
  json::array details;
  if (error.code.empty() && metadata.empty()) return details;
  details.push_back(json::object{{"@type", "type.googleapis.com/google.rpc.ErrorInfo"},
                                 {"reason", error.code},
                                 {"domain", "agentbox"},
                                 {"metadata", std::move(metadata)}});
  return details;
}

}  // namespace

std::string pack(const Signed& kept) {
  if (kept.reasoning.empty() && (kept.signed_by.empty() || kept.signed_by == own_provider)) return kept.signature;
  return crypto::to_base64(std::string(packed_mark) + json::serialize(web::to_json(kept)));
}

std::optional<Signed> unpack(std::string_view signature) {
  // Clients that read it as bytes may write it in the other alphabet.
  std::string text(signature.substr(0, signature.find_last_not_of('=') + 1));
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  const auto bytes = crypto::from_base64url(text);
  if (!bytes || !bytes->starts_with(packed_mark)) return std::nullopt;
  boost::system::error_code error;
  const auto value = json::parse(std::string_view(*bytes).substr(packed_mark.size()), error);
  const auto* object = error ? nullptr : value.if_object();
  if (!object) return std::nullopt;
  Signed kept{.signature = web::string_member(*object, "signature"),
              .signed_by = web::string_member(*object, "signed_by")};
  const auto* list = web::array_member(*object, "reasoning");
  if (!list) return kept;
  for (const auto& each : *list) {
    const auto text_in = [&](std::string_view name) { return web::string_member(each, name); };
    const auto* block = each.if_object();
    const auto* is_summary = block ? block->if_contains("is_summary") : nullptr;
    kept.reasoning.push_back({.provider = text_in("provider"),
                              .text = text_in("text"),
                              .signature = text_in("signature"),
                              .sealed = text_in("sealed"),
                              .id = text_in("id"),
                              .format = text_in("format"),
                              .is_summary = is_summary && *is_summary == true});
    if (kept.reasoning.size() == max_reasoning_blocks) break;
  }
  return kept;
}

Output::Output(std::string_view model, bool includes_thoughts)
    : id_(crypto::random_id(24)), model_(model), includes_thoughts_(includes_thoughts) {}

json::object Output::answer(json::array parts) const {
  json::array candidates;
  candidates.push_back(
      json::object{{"content", json::object{{"role", "model"}, {"parts", std::move(parts)}}}, {"index", 0}});
  return {{"candidates", std::move(candidates)}, {"modelVersion", model_}, {"responseId", id_}};
}

std::optional<json::object> Output::take(const AnswerPiece& piece) {
  json::array parts;
  if (piece.block) {
    if (includes_thoughts_ && !piece.reasoning.text.empty()) parts.push_back(thought_part(piece.reasoning.text));
  } else if (piece.part) {
    if (auto media = media_part(*piece.part)) parts.push_back(std::move(*media));
  } else if (!piece.call) {
    const auto& text = piece.refusal.empty() ? piece.text : piece.refusal;
    if (!text.empty()) parts.push_back(text_part(text));
  }
  if (parts.empty()) return std::nullopt;
  return answer(std::move(parts));
}

json::object Output::finish(const ChatAnswer& last) {
  auto parts = call_parts(last.message);
  if (parts.empty()) {
    // An empty text has the signature of the texts before it.
    auto part = text_part("");
    if (const auto signature = signature_of(last.message, nullptr); !signature.empty())
      part["thoughtSignature"] = signature;
    parts.push_back(std::move(part));
  }
  auto wire = answer(std::move(parts));
  add_end(wire, last);
  return wire;
}

json::object Output::whole(const ChatAnswer& complete) {
  const auto& message = complete.message;
  json::array parts;
  if (includes_thoughts_)
    for (const auto& block : message.reasoning)
      if (!block.text.empty()) parts.push_back(thought_part(block.text));
  auto calls = call_parts(message);
  const auto text = message.content + message.refusal;
  if (!text.empty() || calls.empty()) {
    auto part = text_part(text);
    if (calls.empty())
      if (const auto signature = signature_of(message, nullptr); !signature.empty())
        part["thoughtSignature"] = signature;
    parts.push_back(std::move(part));
  }
  for (const auto& made : message.parts)
    if (auto media = media_part(made)) parts.push_back(std::move(*media));
  for (auto& call : calls) parts.push_back(std::move(call));
  auto wire = answer(std::move(parts));
  add_end(wire, complete);
  return wire;
}

json::object error_body(const web::Error& error) {
  const auto status = status_of(error);
  json::object about{{"code", status.code}, {"message", error.message}, {"status", status.name}};
  if (auto details = details_of(error); !details.empty()) about["details"] = std::move(details);
  return {{"error", std::move(about)}};
}

json::value error_schema() {
  const json::object text{{"type", "string"}}, number{{"type", "integer"}};
  const json::object error{{"type", "object"},
                           {"required", json::array{"code", "message", "status"}},
                           {"properties", json::object{{"code", number}, {"message", text}, {"status", text}}}};
  return json::object{
      {"type", "object"}, {"required", json::array{"error"}}, {"properties", json::object{{"error", error}}}};
}

}  // namespace models::generate
