// The request half of anthropic_wire.h.
#include <algorithm>
#include <boost/json.hpp>
#include <utility>

#include "appliance/models/providers/anthropic_wire.h"
#include "appliance/models/providers/wire_json.h"

namespace models::anthropic {

namespace json = boost::json;

namespace {

json::object text_block(std::string_view text) { return {{"type", "text"}, {"text", text}}; }

json::object image_block(const std::string& url) {
  if (const auto image = inline_image(url)) {
    return {{"type", "image"}, {"source", {{"type", "base64"}, {"media_type", image->type}, {"data", image->data}}}};
  }
  return {{"type", "image"}, {"source", {{"type", "url"}, {"url", url}}}};
}

json::array blocks_of(const Message& message) {
  json::array blocks;
  if (message.role == Role::tool) {
    blocks.push_back(
        json::object{{"type", "tool_result"}, {"tool_use_id", message.tool_call_id}, {"content", message.content}});
    return blocks;
  }
  if (message.parts.empty()) {
    if (!message.content.empty()) blocks.push_back(text_block(message.content));
  } else {
    for (const auto& part : message.parts)
      blocks.push_back(part.url.empty() ? text_block(part.text) : image_block(part.url));
  }
  for (const auto& call : message.tool_calls) {
    boost::system::error_code error;
    auto input = json::parse(call.arguments, error);
    if (error || !input.is_object()) input = json::object();
    blocks.push_back(
        json::object{{"type", "tool_use"}, {"id", call.id}, {"name", call.name}, {"input", std::move(input)}});
  }
  return blocks;
}

// auto, any, none or {type: tool, name}.
json::object tool_choice(const json::object& options) {
  json::object wire{{"type", "auto"}};
  if (const auto* choice = options.if_contains("tool_choice")) {
    if (const auto* word = choice->if_string()) {
      wire["type"] = *word == "required" ? json::string("any") : *word;
    } else {
      wire["type"] = "tool";
      wire["name"] = choice->at("function").at("name");
    }
  }
  const auto* parallel = options.if_contains("parallel_tool_calls");
  if (parallel && !parallel->get_bool() && wire["type"] != "none") wire["disable_parallel_tool_use"] = true;
  return wire;
}

}  // namespace

std::optional<std::string> cannot(const ChatRequest& request) {
  if (auto wrong = only_in_openai_form(request)) return wrong;
  const auto first = std::ranges::find_if(request.messages, [](const auto& each) { return each.role != Role::system; });
  if (first != request.messages.end() && first->role == Role::assistant)
    return "messages[" + std::to_string(first - request.messages.begin()) +
           "].role must be user: with this model's provider a user speaks first";
  if (auto wrong = missing_option(
          request,
          {"seed", "presence_penalty", "frequency_penalty", "logit_bias", "reasoning_effort", "response_format"},
          "this model's provider"))
    return wrong;
  if (request.temperature && *request.temperature > 1) return "temperature must be at most 1 for this model's provider";
  return std::nullopt;
}

json::object to_wire(const ChatRequest& request) {
  std::string system;
  json::array messages;
  for (const auto& message : request.messages) {
    if (message.role == Role::system) {
      system.append(system.empty() ? "" : "\n\n").append(message.content);
      continue;
    }
    // Turns alternate: what one side says in a row is one turn.
    const json::string role = message.role == Role::assistant ? "assistant" : "user";
    auto blocks = blocks_of(message);
    if (!messages.empty() && messages.back().at("role") == role) {
      auto& content = messages.back().as_object()["content"].as_array();
      content.insert(content.end(), blocks.begin(), blocks.end());
    } else {
      messages.push_back(json::object{{"role", role}, {"content", std::move(blocks)}});
    }
  }
  // The API needs a message: instructions alone are sent as one.
  if (messages.empty()) {
    json::array blocks;
    blocks.push_back(text_block(std::exchange(system, {})));
    messages.push_back(json::object{{"role", "user"}, {"content", std::move(blocks)}});
  }
  json::object wire{{"model", request.model}, {"max_tokens", *request.max_tokens}, {"messages", std::move(messages)}};
  if (!system.empty()) wire["system"] = system;
  if (!request.tools.empty()) {
    json::array tools;
    for (const auto& tool : request.tools)
      tools.push_back(
          json::object{{"name", tool.name}, {"description", tool.description}, {"input_schema", tool.parameters}});
    wire["tools"] = std::move(tools);
    wire["tool_choice"] = tool_choice(request.options);
  }
  if (request.temperature) wire["temperature"] = *request.temperature;
  if (request.top_p) wire["top_p"] = *request.top_p;
  if (!request.stop.empty()) wire["stop_sequences"] = json::array(request.stop.begin(), request.stop.end());
  return wire;
}

}  // namespace models::anthropic
