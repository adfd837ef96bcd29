#include "appliance/models/providers/openai_chunks.h"

#include <boost/json.hpp>
#include <chrono>

#include "appliance/models/providers/openai_reasoning.h"
#include "appliance/models/providers/openai_wire.h"
#include "store/clock.h"

namespace models::openai {

namespace json = boost::json;

namespace {

std::string common_of(std::string_view id, std::string_view model) {
  const auto now = store::now().time_since_epoch();
  const json::object common{{"id", id},
                            {"object", "chat.completion.chunk"},
                            {"created", std::chrono::duration_cast<std::chrono::seconds>(now).count()},
                            {"model", model}};
  auto text = json::serialize(common);
  text.back() = ',';
  return text;
}

// The delta of a piece that is neither text nor part of a call.
json::object other_members(const AnswerPiece& piece) {
  json::object members;
  if (piece.block && !piece.reasoning.text.empty()) members["reasoning_content"] = piece.reasoning.text;
  if (!piece.refusal.empty()) members["refusal"] = piece.refusal;
  if (!piece.annotations.empty()) members["annotations"] = piece.annotations;
  if (!piece.part) return members;
  if (piece.part->kind == PartKind::audio) {
    members["audio"] = audio_to_wire(*piece.part);
  } else {
    json::array images;
    images.push_back(image_to_wire(*piece.part));
    members["images"] = std::move(images);
  }
  return members;
}

}  // namespace

Chunks::Chunks(std::string_view id, std::string_view model, std::size_t choice)
    : common_(common_of(id, model)), choice_(choice) {}

std::string Chunks::delta(json::object content, json::value finish) const {
  const json::object choice{{"index", choice_}, {"delta", std::move(content)}, {"finish_reason", std::move(finish)}};
  return common_ + R"("choices":[)" + json::serialize(choice) + "]}";
}

// Writes what delta would, without a tree of values: there is one chunk for every token.
std::string Chunks::text(std::string_view piece) const {
  return common_ + R"("choices":[{"index":)" + std::to_string(choice_) + R"(,"delta":{"content":)" +
         json::serialize(json::string_view(piece)) + R"(},"finish_reason":null}]})";
}

std::string Chunks::opening() const { return delta({{"role", "assistant"}, {"content", ""}}); }

std::string Chunks::end(Finish finish) const { return delta({}, json::string(wire_name(finish))); }

std::string Chunks::end(const ChatAnswer& answer) const {
  json::object last;
  if (!answer.message.reasoning.empty()) last["reasoning_details"] = details_to_wire(answer.message.reasoning, true);
  return delta(std::move(last), json::string(wire_name(answer.finish)));
}

std::string Chunks::piece(const AnswerPiece& piece) const {
  if (piece.is_text()) return text(piece.text);
  if (!piece.call) return delta(other_members(piece));
  json::object function{{"arguments", piece.arguments}};
  if (!piece.name.empty()) function["name"] = piece.name;
  json::object call{{"index", *piece.call}, {"function", std::move(function)}};
  if (!piece.id.empty()) {
    call["id"] = piece.id;
    call["type"] = "function";
  }
  if (!piece.signature.empty()) call["extra_content"] = signature_to_wire(piece.signature, piece.signed_by);
  json::array calls;
  calls.push_back(std::move(call));
  return delta({{"tool_calls", std::move(calls)}});
}

std::string Chunks::usage(const TokenUsage& used) const {
  return common_ + R"("choices":[],"usage":)" + json::serialize(usage_to_wire(used)) + "}";
}

std::string Chunks::extended(const json::object& members) const {
  auto chunk = delta({});
  chunk.back() = ',';
  return chunk + json::serialize(members).substr(1);
}

}  // namespace models::openai
