// The answer half of responses_wire.h.
#include <boost/json.hpp>
#include <chrono>

#include "appliance/foundation/crypto/random.h"
#include "appliance/models/providers/openai_wire.h"
#include "appliance/models/providers/responses_wire.h"

namespace models::responses {

namespace json = boost::json;

namespace {

std::int64_t unix_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

json::object text_part(std::string_view text) {
  return {{"type", "output_text"}, {"text", text}, {"annotations", json::array()}, {"logprobs", json::array()}};
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
  if (item.is_call) {
    return {{"type", "function_call"},
            {"id", item.id},
            {"call_id", item.call_id},
            {"name", item.name},
            {"arguments", is_done ? item.text : std::string()},
            {"status", status}};
  }
  json::array content;
  if (is_done) content.push_back(text_part(item.text));
  return {
      {"type", "message"}, {"id", item.id}, {"role", "assistant"}, {"content", std::move(content)}, {"status", status}};
}

json::object Output::response(std::string_view status, const ChatAnswer* answer) const {
  json::object wire{{"id", id_},        {"object", "response"},          {"created_at", created_}, {"status", status},
                    {"error", nullptr}, {"incomplete_details", nullptr}, {"model", model_}};
  for (const auto& member : echo_) wire[member.key()] = member.value();
  json::array output;
  for (const auto& item : items_)
    if (item.is_done) output.push_back(to_wire(item, true));
  wire["output"] = std::move(output);
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

std::size_t Output::open_message(Events& events) {
  if (message_) return *message_;
  const auto at = items_.size();
  items_.push_back({.id = "msg_" + crypto::random_id(32), .call_id = {}, .name = {}, .text = {}});
  message_ = at;
  events.push_back(event("response.output_item.added", {{"output_index", at}, {"item", to_wire(items_[at], false)}}));
  events.push_back(
      event("response.content_part.added",
            {{"item_id", items_[at].id}, {"output_index", at}, {"content_index", 0}, {"part", text_part("")}}));
  return at;
}

void Output::close(std::size_t at, Events& events) {
  auto& item = items_[at];
  if (item.is_done) return;
  item.is_done = true;
  json::object place{{"item_id", item.id}, {"output_index", at}};
  if (item.is_call) {
    auto done = place;
    done["name"] = item.name;
    done["arguments"] = item.text;
    events.push_back(event("response.function_call_arguments.done", std::move(done)));
  } else {
    place["content_index"] = 0;
    auto done = place;
    done["text"] = item.text;
    done["logprobs"] = json::array();
    events.push_back(event("response.output_text.done", std::move(done)));
    place["part"] = text_part(item.text);
    events.push_back(event("response.content_part.done", std::move(place)));
  }
  events.push_back(event("response.output_item.done", {{"output_index", at}, {"item", to_wire(item, true)}}));
}

Events Output::take(const AnswerPiece& piece) {
  Events events;
  if (!piece.call) {
    const auto at = open_message(events);
    items_[at].text += piece.text;
    events.push_back(event("response.output_text.delta", {{"item_id", items_[at].id},
                                                          {"output_index", at},
                                                          {"content_index", 0},
                                                          {"delta", piece.text},
                                                          {"logprobs", json::array()}}));
    return events;
  }
  if (message_) {
    close(*message_, events);
    message_.reset();
  }
  const auto [known, is_new] = calls_.try_emplace(*piece.call, items_.size());
  if (is_new) {
    const auto call_id = piece.id.empty() ? "call_" + crypto::random_id(24) : piece.id;
    items_.push_back(
        {.id = "fc_" + crypto::random_id(32), .call_id = call_id, .name = piece.name, .text = {}, .is_call = true});
    events.push_back(event("response.output_item.added",
                           {{"output_index", known->second}, {"item", to_wire(items_.back(), false)}}));
  }
  auto& item = items_[known->second];
  item.text += piece.arguments;
  if (!piece.arguments.empty()) {
    events.push_back(event("response.function_call_arguments.delta",
                           {{"item_id", item.id}, {"output_index", known->second}, {"delta", piece.arguments}}));
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

json::object Output::whole(const ChatAnswer& answer) {
  if (!answer.message.content.empty()) {
    items_.push_back({.id = "msg_" + crypto::random_id(32),
                      .call_id = {},
                      .name = {},
                      .text = answer.message.content,
                      .is_call = false,
                      .is_done = true});
  }
  for (const auto& call : answer.message.tool_calls) {
    items_.push_back({.id = "fc_" + crypto::random_id(32),
                      .call_id = call.id,
                      .name = call.name,
                      .text = call.arguments,
                      .is_call = true,
                      .is_done = true});
  }
  return response(cut_by(answer.finish).empty() ? "completed" : "incomplete", &answer);
}

}  // namespace models::responses
