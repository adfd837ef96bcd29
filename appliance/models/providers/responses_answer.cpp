// The answer half of responses_wire.h.
#include <boost/json.hpp>
#include <chrono>
#include <utility>

#include "appliance/foundation/crypto/random.h"
#include "appliance/models/providers/openai_stream.h"
#include "appliance/models/providers/openai_wire.h"
#include "appliance/models/providers/responses_reasoning.h"
#include "appliance/models/providers/responses_wire.h"
#include "store/clock.h"
#include "web/json.h"

namespace models::responses {

namespace json = boost::json;

namespace {

std::int64_t unix_now() {
  const auto now = store::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

json::object output_text_part(std::string_view text, const json::array& annotations = {}) {
  return {{"type", "output_text"}, {"text", text}, {"annotations", annotations}, {"logprobs", json::array()}};
}

json::object refusal_part(std::string_view text) { return {{"type", "refusal"}, {"refusal", text}}; }

json::object summary_part(std::string_view text) { return {{"type", "summary_text"}, {"text", text}}; }

// {type: url_citation, url_citation: {url, ...}} without the inner object.
json::object flat_annotation(const json::value& annotation) {
  const auto* object = annotation.if_object();
  if (!object) return {};
  auto flat = *object;
  if (const auto* inner = web::object_member(*object, "url_citation")) {
    flat.erase("url_citation");
    for (const auto& member : *inner) flat[member.key()] = member.value();
    for (const auto* position : {"start_index", "end_index"})
      if (!flat.contains(position)) flat[position] = 0;
  }
  return flat;
}

json::object usage_to_wire(const TokenUsage& usage) {
  return {{"input_tokens", usage.input},
          {"input_tokens_details", json::object{{"cached_tokens", usage.cached}}},
          {"output_tokens", usage.output},
          {"output_tokens_details", json::object{{"reasoning_tokens", usage.reasoning}}},
          {"total_tokens", usage.total()}};
}

// Why the answer is not complete; empty if it is.
std::string_view cut_by(Finish finish) {
  if (finish == Finish::length) return "max_output_tokens";
  return finish == Finish::content_filter ? "content_filter" : "";
}

}  // namespace

Output::Output(const Echo& echo, std::string_view model)
    : echo_(echo.members), id_("resp_" + crypto::random_id(32)), model_(model), created_(unix_now()) {}

Event Output::event(std::string type, json::object members) {
  members["type"] = type;
  members["sequence_number"] = sequence_++;
  return {.type = std::move(type), .data = json::serialize(members)};
}

json::object Output::to_wire(const Item& item, bool is_done) const {
  const auto* status = is_done ? "completed" : "in_progress";
  switch (item.kind) {
    case Kind::call:
      return {{"type", "function_call"},
              {"id", item.id},
              {"call_id", item.call_id},
              {"name", item.name},
              {"arguments", is_done ? item.text : std::string()},
              {"status", status}};
    case Kind::reasoning: {
      json::object wire{{"type", "reasoning"}, {"id", item.id}, {"summary", json::array()}};
      if (is_done && !item.reasoning.text.empty())
        wire["summary"].as_array().push_back(summary_part(item.reasoning.text));
      if (is_done) wire["encrypted_content"] = item.encrypted;
      return wire;
    }
    case Kind::image:
      return {{"type", "image_generation_call"}, {"id", item.id}, {"result", item.text}, {"status", status}};
    case Kind::message:
    case Kind::refusal:
      break;
  }
  json::array content;
  if (is_done)
    content.push_back(item.kind == Kind::refusal ? refusal_part(item.text)
                                                 : output_text_part(item.text, item.annotations));
  return {
      {"type", "message"}, {"id", item.id}, {"role", "assistant"}, {"content", std::move(content)}, {"status", status}};
}

json::array Output::output() const {
  json::array output;
  for (const auto& item : items_)
    if (item.is_done) output.push_back(to_wire(item, true));
  return output;
}

json::object Output::response(std::string_view status, const ChatAnswer* answer) const {
  json::object wire{{"id", id_},        {"object", "response"},          {"created_at", created_}, {"status", status},
                    {"error", nullptr}, {"incomplete_details", nullptr}, {"model", model_}};
  for (const auto& member : echo_) wire[member.key()] = member.value();
  wire["output"] = output();
  wire["usage"] = nullptr;
  if (!answer) return wire;
  wire["usage"] = usage_to_wire(answer->usage);
  wire["model"] = answer->model;
  if (const auto why = cut_by(answer->finish); !why.empty()) wire["incomplete_details"] = json::object{{"reason", why}};
  return wire;
}

Events Output::begin() {
  Events events;
  for (const auto* type : {"response.created", "response.in_progress"})
    events.push_back(event(type, {{"response", response("in_progress", nullptr)}}));
  return events;
}

std::size_t Output::open(Item item, Events& events) {
  close_current(events);
  const auto at = items_.size();
  items_.push_back(std::move(item));
  events.push_back(event("response.output_item.added", {{"output_index", at}, {"item", to_wire(items_[at], false)}}));
  return at;
}

void Output::close_current(Events& events) {
  if (current_) close(*std::exchange(current_, std::nullopt), events);
}

void Output::add(Item item, Events& events) { close(open(std::move(item), events), events); }

std::size_t Output::open_text(Kind kind, Events& events) {
  if (current_ && items_[*current_].kind == kind) return *current_;
  const auto at = open({.kind = kind, .id = "msg_" + crypto::random_id(32)}, events);
  current_ = at;
  events.push_back(event("response.content_part.added",
                         {{"item_id", items_[at].id},
                          {"output_index", at},
                          {"content_index", 0},
                          {"part", kind == Kind::refusal ? refusal_part("") : output_text_part("")}}));
  return at;
}

void Output::take_text(Kind kind, const std::string& text, Events& events) {
  const auto at = open_text(kind, events);
  items_[at].text += text;
  json::object delta{{"item_id", items_[at].id}, {"output_index", at}, {"content_index", 0}, {"delta", text}};
  if (kind == Kind::message) delta["logprobs"] = json::array();
  events.push_back(
      event(kind == Kind::refusal ? "response.refusal.delta" : "response.output_text.delta", std::move(delta)));
}

void Output::take_annotations(const json::array& annotations, Events& events) {
  const auto at = open_text(Kind::message, events);
  auto& item = items_[at];
  for (const auto& each : annotations) {
    auto flat = flat_annotation(each);
    events.push_back(event("response.output_text.annotation.added", {{"item_id", item.id},
                                                                     {"output_index", at},
                                                                     {"content_index", 0},
                                                                     {"annotation_index", item.annotations.size()},
                                                                     {"annotation", flat}}));
    item.annotations.push_back(std::move(flat));
  }
}

void Output::take_reasoning(std::size_t block, const Reasoning& piece, Events& events) {
  const auto [known, is_new] = blocks_.try_emplace(block, items_.size());
  if (is_new) {
    known->second = open({.kind = Kind::reasoning, .id = "rs_" + crypto::random_id(32)}, events);
    current_ = known->second;
  }
  auto& item = items_[known->second];
  if (item.is_done) return;
  const json::object place{{"item_id", item.id}, {"output_index", known->second}, {"summary_index", 0}};
  if (!piece.text.empty()) {
    if (item.reasoning.text.empty()) {
      auto begun = place;
      begun["part"] = summary_part("");
      events.push_back(event("response.reasoning_summary_part.added", std::move(begun)));
    }
    auto delta = place;
    delta["delta"] = piece.text;
    events.push_back(event("response.reasoning_summary_text.delta", std::move(delta)));
  }
  auto text = item.reasoning.text + piece.text;
  const auto take_if_given = [](std::string& member, const std::string& given) {
    if (!given.empty()) member = given;
  };
  take_if_given(item.reasoning.provider, piece.provider);
  take_if_given(item.reasoning.signature, piece.signature);
  take_if_given(item.reasoning.sealed, piece.sealed);
  take_if_given(item.reasoning.id, piece.id);
  take_if_given(item.reasoning.format, piece.format);
  item.reasoning.is_summary = piece.is_summary;
  item.reasoning.text = std::move(text);
}

void Output::take_call(const AnswerPiece& piece, Events& events) {
  const auto [known, is_new] = calls_.try_emplace(*piece.call, items_.size());
  if (is_new) {
    const auto call_id = piece.id.empty() ? "call_" + crypto::random_id(24) : piece.id;
    known->second =
        open({.kind = Kind::call, .id = "fc_" + crypto::random_id(32), .call_id = call_id, .name = piece.name}, events);
  }
  auto& item = items_[known->second];
  item.text += piece.arguments;
  if (!piece.arguments.empty()) {
    events.push_back(event("response.function_call_arguments.delta",
                           {{"item_id", item.id}, {"output_index", known->second}, {"delta", piece.arguments}}));
  }
  if (piece.signature.empty()) return;
  const auto encrypted = encode_signature(item.call_id, piece.signature, piece.signed_by);
  add({.kind = Kind::reasoning, .id = "rs_" + crypto::random_id(32), .encrypted = encrypted}, events);
}

void Output::close_text(const Item& item, std::size_t at, Events& events) {
  json::object place{{"item_id", item.id}, {"output_index", at}, {"content_index", 0}};
  auto done = place;
  if (item.kind == Kind::refusal) {
    done["refusal"] = item.text;
    events.push_back(event("response.refusal.done", std::move(done)));
    place["part"] = refusal_part(item.text);
  } else {
    done["text"] = item.text;
    done["logprobs"] = json::array();
    events.push_back(event("response.output_text.done", std::move(done)));
    place["part"] = output_text_part(item.text, item.annotations);
  }
  events.push_back(event("response.content_part.done", std::move(place)));
}

void Output::close(std::size_t at, Events& events) {
  auto& item = items_[at];
  if (item.is_done) return;
  item.is_done = true;
  json::object place{{"item_id", item.id}, {"output_index", at}};
  switch (item.kind) {
    case Kind::call:
      place["name"] = item.name;
      place["arguments"] = item.text;
      events.push_back(event("response.function_call_arguments.done", std::move(place)));
      break;
    case Kind::reasoning:
      if (item.encrypted.empty()) item.encrypted = encode_block(item.reasoning);
      if (item.reasoning.text.empty()) break;
      place["summary_index"] = 0;
      place["text"] = item.reasoning.text;
      events.push_back(event("response.reasoning_summary_text.done", place));
      place.erase("text");
      place["part"] = summary_part(item.reasoning.text);
      events.push_back(event("response.reasoning_summary_part.done", std::move(place)));
      break;
    case Kind::message:
    case Kind::refusal:
      close_text(item, at, events);
      break;
    case Kind::image:
      break;
  }
  events.push_back(event("response.output_item.done", {{"output_index", at}, {"item", to_wire(item, true)}}));
}

Events Output::take(const AnswerPiece& piece) {
  Events events;
  if (piece.call) {
    take_call(piece, events);
  } else if (piece.block) {
    take_reasoning(*piece.block, piece.reasoning, events);
  } else if (!piece.refusal.empty()) {
    take_text(Kind::refusal, piece.refusal, events);
  } else if (!piece.annotations.empty()) {
    take_annotations(piece.annotations, events);
  } else if (piece.part) {
    const auto image = piece.part->is_image() ? inline_image(piece.part->url) : std::nullopt;
    if (image)
      add({.kind = Kind::image, .id = "ig_" + crypto::random_id(32), .text = std::string(image->data)}, events);
  } else {
    take_text(Kind::message, piece.text, events);
  }
  return events;
}

Events Output::finish(const ChatAnswer& answer) {
  Events events;
  for (std::size_t at = 0; at < items_.size(); ++at) close(at, events);
  const bool is_cut = !cut_by(answer.finish).empty();
  const std::string_view status = is_cut ? "incomplete" : "completed";
  events.push_back(event("response." + std::string(status), {{"response", response(status, &answer)}}));
  return events;
}

Events Output::fail(const web::Error& error) {
  auto failed = response("failed", nullptr);
  const auto body = openai::error_body(error);
  const auto& about = body.at("error").as_object();
  const auto& code = about.at("code");
  failed["error"] =
      json::object{{"code", code.is_null() ? json::value("server_error") : code}, {"message", error.message}};
  Events events;
  events.push_back(event("response.failed", {{"response", std::move(failed)}}));
  return events;
}

// Takes a whole answer as pieces.
class Output::Collector final : public Listener {
 public:
  explicit Collector(Output& output) : output_(output) {}
  void text(std::string_view piece) override { output_.take({.text = std::string(piece)}); }
  void call(std::size_t index, std::string_view id, std::string_view name, std::string_view arguments) override {
    output_.take(
        {.call = index, .id = std::string(id), .name = std::string(name), .arguments = std::string(arguments)});
  }
  void other(const AnswerPiece& piece) override { output_.take(piece); }

 private:
  Output& output_;
};

json::object Output::whole(const ChatAnswer& answer) {
  Collector collector(*this);
  openai::replay(answer, collector);
  Events events;
  for (std::size_t at = 0; at < items_.size(); ++at) close(at, events);
  return response(cut_by(answer.finish).empty() ? "completed" : "incomplete", &answer);
}

}  // namespace models::responses
