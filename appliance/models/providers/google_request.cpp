// The request half of google_wire.h.
#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <utility>

#include "appliance/models/providers/google_wire.h"
#include "appliance/models/providers/repair.h"
#include "appliance/models/providers/wire_json.h"
#include "web/blank.h"
#include "web/json.h"

namespace models::google {

namespace json = boost::json;

namespace {

constexpr std::string_view provider_name = "google";

json::value parsed_or(const std::string& text, json::value otherwise) {
  boost::system::error_code error;
  auto value = json::parse(text, error);
  return !error && value.is_object() ? value : otherwise;
}

// A result names its function, not its call.
std::string function_of(const std::vector<Message>& messages, std::size_t at) {
  for (auto i = at; i-- > 0;)
    for (const auto& call : messages[i].tool_calls)
      if (call.id == messages[at].tool_call_id) return call.name;
  return "unknown";
}

json::object inline_data(const InlineImage& file) {
  return {{"inlineData", {{"mimeType", file.type}, {"data", file.data}}}};
}

void add_parts(const Message& message, json::array& parts) {
  for (const auto& part : message.parts) {
    if (const auto file = inline_image(part.url))
      parts.push_back(inline_data(*file));
    else if (!web::is_blank(part.text))
      parts.push_back(json::object{{"text", part.text}});
  }
}

// Gemini checks the signature of the first call of each step; this one it accepts for calls of other models.
constexpr std::string_view placeholder_signature = "skip_thought_signature_validator";

void add_calls(const Message& message, bool checks_signatures, json::array& parts) {
  for (std::size_t i = 0; i < message.tool_calls.size(); ++i) {
    const auto& call = message.tool_calls[i];
    json::object part{{"functionCall", {{"name", call.name}, {"args", parsed_or(call.arguments, json::object())}}}};
    if (!call.signature.empty())
      part["thoughtSignature"] = call.signature;
    else if (i == 0 && checks_signatures)
      part["thoughtSignature"] = placeholder_signature;
    parts.push_back(std::move(part));
  }
}

json::array parts_of(const std::vector<Message>& messages, std::size_t at, bool checks_signatures) {
  const auto& message = messages[at];
  json::array parts;
  if (message.role == Role::tool) {
    auto response = parsed_or(message.content, json::object{{"result", message.content}});
    parts.push_back(
        json::object{{"functionResponse", {{"name", function_of(messages, at)}, {"response", std::move(response)}}}});
    // Images of a result follow it; its text is in the response.
    for (const auto& part : message.parts)
      if (const auto file = inline_image(part.url)) parts.push_back(inline_data(*file));
    return parts;
  }
  if (message.role == Role::user && !message.parts.empty()) {
    add_parts(message, parts);
    return parts;
  }
  const auto& text = message.content.empty() ? message.refusal : message.content;
  if (!web::is_blank(text)) {
    json::object part{{"text", text}};
    // The signature of a text without calls is in its reasoning.
    if (message.tool_calls.empty())
      for (const auto& block : message.reasoning)
        if (!block.signature.empty()) part["thoughtSignature"] = block.signature;
    parts.push_back(std::move(part));
  }
  add_calls(message, checks_signatures, parts);
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

// From Gemini 3 on an effort is a level, before that a budget.
json::object thinking_config(std::string_view model, std::string_view effort) {
  constexpr std::array<std::pair<std::string_view, int>, 6> budgets{
      {{"none", 0}, {"minimal", 512}, {"low", 2'048}, {"medium", 8'192}, {"high", 16'384}, {"xhigh", 24'576}}};
  const bool has_budget = model.starts_with("gemini-2");
  json::object config{{"includeThoughts", effort != "none"}};
  if (!has_budget) {
    const bool is_pro = model.find("-pro") != model.npos;
    config["thinkingLevel"] = effort == "none" || effort == "minimal" ? (is_pro ? "low" : "minimal")
                              : effort == "xhigh"                     ? "high"
                                                                      : effort;
    return config;
  }
  const auto* found = std::ranges::find(budgets, effort, &std::pair<std::string_view, int>::first);
  // Gemini 2.5 Pro cannot be kept from thinking.
  constexpr int least_of_pro = 128;
  const bool is_pro = model.starts_with("gemini-2.5-pro");
  config["thinkingBudget"] = is_pro ? std::max(found->second, least_of_pro) : found->second;
  return config;
}

json::object generation_config(const ChatRequest& request) {
  json::object config;
  if (request.max_tokens) config["maxOutputTokens"] = *request.max_tokens;
  if (request.temperature) config["temperature"] = *request.temperature;
  if (request.top_p) config["topP"] = *request.top_p;
  if (!request.stop.empty()) config["stopSequences"] = json::array(request.stop.begin(), request.stop.end());
  // Gemini 1 and 2.0 do not think.
  const bool thinks = !request.model.starts_with("gemini-1") && !request.model.starts_with("gemini-2.0");
  if (const auto effort = web::string_member(request.options, "reasoning_effort"); thinks && !effort.empty())
    config["thinkingConfig"] = thinking_config(request.model, effort);
  if (const auto* modalities = web::array_member(request.options, "modalities")) {
    json::array wanted;
    for (const auto& each : *modalities) {
      auto name = web::string_or_empty(&each);
      std::ranges::transform(name, name.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; });
      wanted.push_back(json::value(name));
    }
    config["responseModalities"] = std::move(wanted);
  }
  const auto pass = [&](const char* ours, const char* theirs) {
    if (const auto* value = request.options.if_contains(ours)) config[theirs] = *value;
  };
  pass("seed", "seed");
  pass("presence_penalty", "presencePenalty");
  pass("frequency_penalty", "frequencyPenalty");
  const auto* format = web::object_member(request.options, "response_format");
  if (format && web::string_member(*format, "type") != "text") {
    config["responseMimeType"] = "application/json";
    if (const auto* schema = web::object_member(*format, "json_schema"))
      config["responseJsonSchema"] = schema->at("schema");
  }
  return config;
}

}  // namespace

std::optional<std::string> cannot(const ChatRequest& request) {
  if (are_blank(request.messages)) return "messages must have content for this model's provider";
  if (auto wrong = missing_option(request, {"logit_bias", "prediction", "audio"}, "this model's provider"))
    return wrong;
  if (const auto* parallel = request.options.if_contains("parallel_tool_calls"); parallel && !parallel->get_bool())
    return "parallel_tool_calls: false is not supported by this model's provider";
  if (request.stop.size() > 5) return "stop must have at most 5 strings for this model's provider";
  for (std::size_t i = 0; i < request.messages.size(); ++i)
    for (const auto& part : request.messages[i].parts)
      if (!part.is_text() && !part.is_image() && !inline_image(part.url))
        return "messages[" + std::to_string(i) + "].content: this model's provider takes files as data: addresses only";
  return std::nullopt;
}

json::object to_wire(const ChatRequest& request) {
  auto conversation = request.messages;
  repair_calls(conversation);
  keep_reasoning_of(provider_name, conversation);
  // From Gemini 3 on.
  const bool checks_signatures = !request.model.starts_with("gemini-1") && !request.model.starts_with("gemini-2");
  std::string system;
  json::array contents;
  for (std::size_t i = 0; i < conversation.size(); ++i) {
    const auto& message = conversation[i];
    if (message.role == Role::system) {
      if (!web::is_blank(message.content)) system.append(system.empty() ? "" : "\n\n").append(message.content);
      continue;
    }
    const json::string role = message.role == Role::assistant ? "model" : "user";
    auto parts = parts_of(conversation, i, checks_signatures);
    if (parts.empty()) continue;
    if (!contents.empty() && contents.back().at("role") == role) {
      auto& turn = contents.back().as_object()["parts"].as_array();
      turn.insert(turn.end(), parts.begin(), parts.end());
    } else {
      contents.push_back(json::object{{"role", role}, {"parts", std::move(parts)}});
    }
  }
  // The API wants a user to speak first, and a call to follow a message of the user.
  if (!contents.empty() && contents.front().at("role") == "model") {
    json::array parts;
    parts.push_back(json::object{{"text", missing_begin_note}});
    json::object first{{"role", "user"}, {"parts", std::move(parts)}};
    contents.insert(contents.begin(), std::move(first));
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
      functions.push_back(json::object{{"name", tool.name},
                                       {"description", tool.description},
                                       {"parametersJsonSchema", completed_schema(tool.parameters)}});
    }
    json::array tools;
    tools.push_back(json::object{{"functionDeclarations", std::move(functions)}});
    wire["tools"] = std::move(tools);
    wire["toolConfig"] = json::object{{"functionCallingConfig", calling_config(request.options)}};
  }
  return wire;
}

}  // namespace models::google
