#include "appliance/models/providers/openai_stream.h"

#include <array>
#include <boost/json.hpp>

#include "appliance/models/providers/openai_wire.h"
#include "appliance/models/providers/wire_json.h"

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
  if (const auto* failure = object_in(*chunk, "error")) {
    reported_error_ = ReportedError{.type = string_in(*failure, "type"), .message = string_in(*failure, "message")};
    return false;
  }
  if (answer_.id.empty()) answer_.id = string_in(*chunk, "id");
  if (answer_.model.empty()) answer_.model = string_in(*chunk, "model");
  if (auto usage = parse_usage(*chunk)) usage_ = *usage;
  // Some servers send choices: null with the usage.
  const auto* choices = chunk->if_contains("choices");
  const auto* list = choices ? choices->if_array() : nullptr;
  if (list && !list->empty() && list->front().is_object()) choice(list->front().get_object());
  return true;
}

void AnswerStream::choice(const json::object& choice) {
  if (const auto* delta = object_in(choice, "delta")) {
    if (const auto* text = delta->if_contains("content"); text && text->is_string() && !text->get_string().empty()) {
      answer_.message.content += text->get_string();
      listener_.text(text->get_string());
    }
    if (const auto* calls = delta->if_contains("tool_calls"); calls && calls->is_array()) {
      for (std::size_t at = 0; at < calls->get_array().size(); ++at)
        if (const auto* made = calls->get_array()[at].if_object()) call(*made, at);
    }
  }
  if (auto finish = string_in(choice, "finish_reason"); !finish.empty()) {
    finish_ = std::move(finish);
    complete_ = true;
  }
}

void AnswerStream::call(const json::object& piece, std::size_t position) {
  auto& calls = answer_.message.tool_calls;
  const auto index = static_cast<std::size_t>(count_in(piece, "index").value_or(static_cast<std::int64_t>(position)));
  if (index >= most_tool_calls) return;
  const bool fresh = index >= calls.size();
  if (fresh) calls.resize(index + 1);
  auto& call = calls[index];
  const auto* function = object_in(piece, "function");
  auto id = string_in(piece, "id");
  auto name = function ? string_in(*function, "name") : std::string();
  const auto arguments = function ? string_in(*function, "arguments") : std::string();
  if (fresh && id.empty()) id = "call_" + std::to_string(index);
  if (!call.id.empty()) id.clear();
  if (!call.name.empty()) name.clear();
  call.id += id;
  call.name += name;
  call.arguments += arguments;
  listener_.call(index, id, name, arguments);
}

ChatAnswer AnswerStream::take(const ChatRequest& request) {
  for (auto& call : answer_.message.tool_calls) call = checked_call(std::move(call));
  answer_.message.role = Role::assistant;
  answer_.finish = finish_named(finish_, !answer_.message.tool_calls.empty());
  return with_defaults(std::move(answer_), request, usage_, id_prefix);
}

void replay(const ChatAnswer& answer, Listener& listener) {
  if (!answer.message.content.empty()) listener.text(answer.message.content);
  const auto& calls = answer.message.tool_calls;
  for (std::size_t i = 0; i < calls.size(); ++i) listener.call(i, calls[i].id, calls[i].name, calls[i].arguments);
}

}  // namespace models::openai
