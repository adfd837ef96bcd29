#include "appliance/models/providers/openai_stream.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "appliance/models/providers/openai_wire.h"
#include "appliance/models/providers/wire_json.h"
#include "web/json.h"

namespace models::openai {

namespace json = boost::json;

bool AnswerStream::event(std::string_view data) {
  if (data == "[DONE]") {
    complete_ = true;
    return false;
  }
  // There is a chunk for every token; most of their trees fit in this buffer.
  std::array<unsigned char, 4096> room;
  json::monotonic_resource memory(room.data(), room.size());
  const auto value = parse_object(data, &memory);
  const auto* chunk = value.if_object();
  if (!chunk) {
    reported_error_ = ReportedError{.type = "", .message = "a chunk that is not a JSON object"};
    return false;
  }
  if ((reported_error_ = error_in(*chunk))) return false;
  if (answer_.id.empty()) answer_.id = web::string_member(*chunk, "id");
  if (answer_.model.empty()) answer_.model = web::string_member(*chunk, "model");
  // Some servers send choices: null with the usage.
  const auto* choices = chunk->if_contains("choices");
  const auto* list = choices ? choices->if_array() : nullptr;
  if (list && !list->empty() && list->front().is_object()) choice(list->front().get_object());
  if (auto usage = parse_usage(*chunk)) {
    usage_ = *usage;
    listener_.usage(*usage_);
  }
  return true;
}

void AnswerStream::choice(const json::object& choice) {
  if (const auto* piece = web::object_member(choice, "delta")) delta(*piece);
  if (auto finish = web::string_member(choice, "finish_reason"); !finish.empty()) {
    finish_ = std::move(finish);
    complete_ = true;
  }
}

void AnswerStream::delta(const json::object& delta) {
  auto& message = answer_.message;
  reasoning_.read(delta, message.reasoning, &listener_);
  if (const auto* value = delta.if_contains("content")) content(*value);
  if (auto refusal = web::string_member(delta, "refusal"); !refusal.empty()) {
    message.refusal += refusal;
    listener_.other({.refusal = std::move(refusal)});
  }
  if (const auto* images = web::array_member(delta, "images"))
    for (const auto& each : *images) image(web::string_at(each, "/image_url/url"));
  if (const auto* sound = web::object_member(delta, "audio")) audio(*sound);
  if (const auto* annotations = web::array_member(delta, "annotations"); annotations && !annotations->empty()) {
    append_copies(*annotations, message.annotations);
    AnswerPiece piece;
    append_copies(*annotations, piece.annotations);
    listener_.other(piece);
  }
  if (const auto* calls = web::array_member(delta, "tool_calls")) {
    for (const auto& entry : *calls)
      if (const auto* piece = entry.if_object()) {
        const auto* function = web::object_member(*piece, "function");
        call(*piece, function ? *function : *piece);
      }
  }
  if (const auto* function = web::object_member(delta, "function_call")) call({}, *function);
}

void AnswerStream::content(const json::value& content) {
  if (const auto* whole = content.if_string()) return text(*whole);
  const auto* parts = content.if_array();
  if (!parts) return;
  for (const auto& entry : *parts) {
    const auto* part = entry.if_object();
    if (!part || reasoning_.read_part(*part, answer_.message.reasoning, &listener_)) continue;
    text(web::string_member(*part, "text"));
    image(web::string_at(entry, "/image_url/url"));
  }
}

void AnswerStream::text(std::string_view piece) {
  if (piece.empty()) return;
  const auto complete = text_.add(piece);
  if (complete.empty()) return;
  answer_.message.content += complete;
  listener_.text(complete);
}

void AnswerStream::image(std::string url) {
  if (url.empty()) return;
  Part part{.url = std::move(url), .kind = PartKind::image};
  answer_.message.parts.push_back(part);
  listener_.other({.part = std::move(part)});
}

void AnswerStream::audio(const json::object& piece) {
  const auto part = parse_audio(piece);
  auto& parts = answer_.message.parts;
  if (parts.empty() || parts.back().kind != PartKind::audio) {
    parts.push_back(part);
  } else {
    parts.back().text += part.text;
    parts.back().url += part.url;
    if (parts.back().name.empty()) parts.back().name = part.name;
  }
  listener_.other({.part = part});
}

std::size_t AnswerStream::begin_call(std::optional<std::int64_t> index, const std::string& id) {
  auto& calls = answer_.message.tool_calls;
  const auto place = calls.size();
  const bool is_taken = std::ranges::find(calls, id, &ToolCall::id) != calls.end();
  calls.push_back({.id = id.empty() || is_taken ? new_call_id() : id});
  arguments_.emplace_back();
  vendor_ids_.push_back(id);
  places_[index.value_or(0)] = place;
  return place;
}

std::optional<std::size_t> AnswerStream::place_of(std::optional<std::int64_t> index, const std::string& id,
                                                  const std::string& name) {
  const auto& calls = answer_.message.tool_calls;
  std::optional<std::size_t> place;
  if (index) {
    if (const auto known = places_.find(*index); known != places_.end()) place = known->second;
  } else if (!id.empty()) {
    const auto known = std::ranges::find(vendor_ids_, id);
    if (known != vendor_ids_.end()) place = static_cast<std::size_t>(known - vendor_ids_.begin());
  } else if (!calls.empty()) {
    place = calls.size() - 1;
  }
  if (place) {
    const auto& call = calls[*place];
    const bool has_other_id = !id.empty() && !vendor_ids_[*place].empty() && id != vendor_ids_[*place];
    const bool has_other_name =
        id.empty() && !name.empty() && !call.name.empty() && (name != call.name || is_json_object(call.arguments));
    if (!has_other_id && !has_other_name) return place;
  }
  if (calls.size() >= max_tool_calls) return std::nullopt;
  return begin_call(index, id);
}

void AnswerStream::call(const json::object& piece, const json::object& holder) {
  const auto id = web::string_member(piece, "id");
  auto name = web::string_member(holder, "name");
  const auto count = answer_.message.tool_calls.size();
  const auto place = place_of(count_in(piece, "index"), id, name);
  if (!place) return;
  auto& call = answer_.message.tool_calls[*place];
  if (!call.name.empty()) name.clear();
  call.name += name;
  const auto* given = holder.if_contains("arguments");
  const bool is_value = given && !given->is_string() && !given->is_null();
  const auto arguments = arguments_[*place].add(is_value ? json::serialize(*given) : web::string_or_empty(given));
  call.arguments += arguments;
  ToolCall signed_call;
  read_signature(piece, signed_call);
  const bool is_new = *place == count;
  const auto shown_id = is_new ? call.id : std::string();
  if (!signed_call.signature.empty()) {
    call.signature = signed_call.signature;
    call.signed_by = signed_call.signed_by;
    listener_.other({.call = *place,
                     .id = shown_id,
                     .name = name,
                     .arguments = arguments,
                     .signature = call.signature,
                     .signed_by = call.signed_by});
  } else if (is_new || !name.empty() || !arguments.empty()) {
    listener_.call(*place, shown_id, name, arguments);
  }
}

ChatAnswer AnswerStream::take(const ChatRequest& request) {
  auto& message = answer_.message;
  if (const auto rest = text_.end(); !rest.empty()) {
    message.content += rest;
    listener_.text(rest);
  }
  complete_calls(message.tool_calls, listener_);
  message.role = Role::assistant;
  answer_.finish = finish_named(finish_, !message.tool_calls.empty());
  return with_defaults(std::move(answer_), request, usage_, id_prefix);
}

void replay(const ChatAnswer& answer, Listener& listener) {
  const auto& message = answer.message;
  for (std::size_t i = 0; i < message.reasoning.size(); ++i)
    listener.other({.block = i, .reasoning = message.reasoning[i]});
  if (!message.content.empty()) listener.text(message.content);
  if (!message.refusal.empty()) listener.other({.refusal = message.refusal});
  for (const auto& part : message.parts) listener.other({.part = part});
  if (!message.annotations.empty()) listener.other({.annotations = message.annotations});
  const auto& calls = message.tool_calls;
  for (std::size_t i = 0; i < calls.size(); ++i) pass_call(i, calls[i], listener);
}

}  // namespace models::openai
