// The request half of google_wire.h.
#include <boost/json.hpp>
#include <utility>

#include "appliance/models/providers/google_wire.h"
#include "appliance/models/providers/wire_json.h"

namespace models::google {

namespace json = boost::json;

namespace {

json::value parsed_or(const std::string& text, json::value otherwise) {
  boost::system::error_code error;
  auto value = json::parse(text, error);
  return !error && value.is_object() ? value : otherwise;
}

// A result names its function, not its call.
std::string function_of(const ChatRequest& request, std::size_t at) {
  for (auto i = at; i-- > 0;)
    for (const auto& call : request.messages[i].tool_calls)
      if (call.id == request.messages[at].tool_call_id) return call.name;
  return "unknown";
}

json::array parts_of(const ChatRequest& request, std::size_t at) {
  const auto& message = request.messages[at];
  json::array parts;
  if (message.role == Role::tool) {
    auto response = parsed_or(message.content, json::object{{"result", message.content}});
    parts.push_back(
        json::object{{"functionResponse", {{"name", function_of(request, at)}, {"response", std::move(response)}}}});
    return parts;
  }
  if (message.parts.empty()) {
    if (!message.content.empty()) parts.push_back(json::object{{"text", message.content}});
  } else {
    for (const auto& part : message.parts) {
      if (const auto image = inline_image(part.url)) {
        parts.push_back(json::object{{"inlineData", {{"mimeType", image->type}, {"data", image->data}}}});
      } else {
        parts.push_back(json::object{{"text", part.text}});
      }
    }
  }
  for (const auto& call : message.tool_calls) {
    parts.push_back(
        json::object{{"functionCall", {{"name", call.name}, {"args", parsed_or(call.arguments, json::object())}}}});
  }
  return parts;
}

json::object calling_config(const json::object& options) {
  const auto* choice = options.if_contains("tool_choice");
  if (!choice) return {{"mode", "AUTO"}};
  if (const auto* word = choice->if_string()) {
    return {{"mode", *word == "required" ? "ANY" : *word == "none" ? "NONE" : "AUTO"}};
  }
  json::array allowed;
  allowed.push_back(choice->at("function").at("name"));
  return {{"mode", "ANY"}, {"allowedFunctionNames", std::move(allowed)}};
}

json::object generation_config(const ChatRequest& request) {
  json::object config;
  if (request.max_tokens) config["maxOutputTokens"] = *request.max_tokens;
  if (request.temperature) config["temperature"] = *request.temperature;
  if (request.top_p) config["topP"] = *request.top_p;
  if (!request.stop.empty()) config["stopSequences"] = json::array(request.stop.begin(), request.stop.end());
  const auto pass = [&](const char* ours, const char* theirs) {
    if (const auto* value = request.options.if_contains(ours)) config[theirs] = *value;
  };
  pass("seed", "seed");
  pass("presence_penalty", "presencePenalty");
  pass("frequency_penalty", "frequencyPenalty");
  const auto* format = object_in(request.options, "response_format");
  if (format && string_in(*format, "type") != "text") {
    config["responseMimeType"] = "application/json";
    if (const auto* schema = object_in(*format, "json_schema")) config["responseJsonSchema"] = schema->at("schema");
  }
  return config;
}

}  // namespace

std::optional<std::string> cannot(const ChatRequest& request) {
  if (auto wrong = only_in_openai_form(request)) return wrong;
  if (auto wrong = missing_option(request, {"logit_bias", "reasoning_effort"}, "this model's provider")) return wrong;
  if (const auto* parallel = request.options.if_contains("parallel_tool_calls"); parallel && !parallel->get_bool())
    return "parallel_tool_calls: false is not supported by this model's provider";
  if (request.stop.size() > 5) return "stop must have at most 5 strings for this model's provider";
  for (std::size_t i = 0; i < request.messages.size(); ++i)
    for (const auto& part : request.messages[i].parts)
      if (!part.url.empty() && !inline_image(part.url))
        return "messages[" + std::to_string(i) +
               "].content: this model's provider takes images as data: addresses only";
  return std::nullopt;
}

json::object to_wire(const ChatRequest& request) {
  std::string system;
  json::array contents;
  for (std::size_t i = 0; i < request.messages.size(); ++i) {
    const auto& message = request.messages[i];
    if (message.role == Role::system) {
      system.append(system.empty() ? "" : "\n\n").append(message.content);
      continue;
    }
    const json::string role = message.role == Role::assistant ? "model" : "user";
    auto parts = parts_of(request, i);
    if (!contents.empty() && contents.back().at("role") == role) {
      auto& turn = contents.back().as_object()["parts"].as_array();
      turn.insert(turn.end(), parts.begin(), parts.end());
    } else {
      contents.push_back(json::object{{"role", role}, {"parts", std::move(parts)}});
    }
  }
  // The API needs a message: instructions alone are sent as one.
  if (contents.empty()) {
    json::array parts;
    parts.push_back(json::object{{"text", std::exchange(system, {})}});
    contents.push_back(json::object{{"role", "user"}, {"parts", std::move(parts)}});
  }
  json::object wire{{"contents", std::move(contents)}, {"generationConfig", generation_config(request)}};
  if (!system.empty()) {
    json::array parts;
    parts.push_back(json::object{{"text", system}});
    wire["systemInstruction"] = json::object{{"parts", std::move(parts)}};
  }
  if (!request.tools.empty()) {
    json::array functions;
    for (const auto& tool : request.tools) {
      functions.push_back(json::object{
          {"name", tool.name}, {"description", tool.description}, {"parametersJsonSchema", tool.parameters}});
    }
    json::array tools;
    tools.push_back(json::object{{"functionDeclarations", std::move(functions)}});
    wire["tools"] = std::move(tools);
    wire["toolConfig"] = json::object{{"functionCallingConfig", calling_config(request.options)}};
  }
  return wire;
}

}  // namespace models::google
