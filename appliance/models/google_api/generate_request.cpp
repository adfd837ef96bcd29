// The request half of generate_wire.h.
#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <utility>

#include "appliance/models/google_api/generate_reading.h"
#include "appliance/models/google_api/generate_wire.h"
#include "appliance/models/providers/openai_wire.h"
#include "web/blank.h"
#include "web/json.h"

namespace models::generate {

namespace json = boost::json;

namespace {

using Problem = std::optional<web::Error>;

constexpr std::size_t max_stops = 16, max_tool_name = 128;

// They concern the account at the vendor, or only refine the answer.
constexpr std::array<std::string_view, 4> without_effect{"safetySettings", "labels", "serviceTier", "store"};
constexpr std::array<std::string_view, 6> known_members{"model", "contents",   "systemInstruction",
                                                        "tools", "toolConfig", "generationConfig"};
constexpr std::array<std::string_view, 5> config_without_effect{"topK", "mediaResolution", "audioTimestamp", "logprobs",
                                                                "enableEnhancedCivicAnswers"};

bool is_empty_value(const json::value& value) {
  if (const auto* list = value.if_array()) return list->empty();
  const auto* object = value.if_object();
  return value.is_null() || (object && object->empty());
}

Problem not_supported(const std::string& where, std::string_view name) {
  return web::invalid(where + std::string(name.substr(0, 64)) + " is not supported");
}

Problem read_function(const json::value& value, const std::string& where, ChatRequest& request) {
  const auto* object = value.if_object();
  if (!object) return web::invalid(where + " must be an object");
  ToolDefinition tool{.name = text_of(*object, "name"), .description = text_of(*object, "description")};
  constexpr const char* letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  if (tool.name.empty() || tool.name.size() > max_tool_name || tool.name.find_first_not_of(letters) != tool.name.npos)
    return web::invalid(where + ".name must be 1 to 128 letters, digits, '_' or '-'");
  tool.parameters = json::object{{"type", "object"}, {"properties", json::object()}};
  if (const auto* parameters = member(*object, "parameters")) {
    if (!parameters->is_object()) return web::invalid(where + ".parameters must be an object");
    tool.parameters = json_schema_of(parameters->get_object());
  } else if (const auto* schema = member(*object, "parametersJsonSchema")) {
    if (!schema->is_object()) return web::invalid(where + ".parametersJsonSchema must be an object");
    tool.parameters = *schema;
  }
  if (request.tools.size() == openai::max_tools)
    return web::invalid("tools must have at most " + std::to_string(openai::max_tools) + " functions");
  request.tools.push_back(std::move(tool));
  return std::nullopt;
}

Problem read_tools(const json::object& body, ChatRequest& request) {
  const auto* tools = member(body, "tools");
  if (!tools) return std::nullopt;
  const auto* list = tools->if_array();
  if (!list || list->size() > openai::max_tools)
    return web::invalid("tools must be an array of at most " + std::to_string(openai::max_tools) + " entries");
  for (std::size_t i = 0; i < list->size(); ++i) {
    const auto where = at("tools", i);
    const auto* tool = (*list)[i].if_object();
    if (!tool) return web::invalid(where + " must be an object");
    for (const auto& field : *tool) {
      const auto name = camel_case(field.key());
      if (field.value().is_null()) continue;
      if (name != "functionDeclarations")
        return web::invalid(where + "." + name.substr(0, 64) +
                            " is not supported: the box has none of the vendor's own tools");
      const auto* functions = field.value().if_array();
      const auto place = where + ".functionDeclarations";
      if (!functions) return web::invalid(place + " must be an array");
      for (std::size_t f = 0; f < functions->size(); ++f)
        if (auto problem = read_function((*functions)[f], at(place, f), request)) return problem;
    }
  }
  return std::nullopt;
}

Problem read_allowed(const json::value& value, const std::string& where, ChatRequest& request) {
  const auto* names = value.if_array();
  if (!names || names->empty()) return web::invalid(where + " must be a non-empty array of names");
  for (std::size_t i = 0; i < names->size(); ++i)
    if (std::ranges::find(request.tools, web::string_or_empty(&(*names)[i]), &ToolDefinition::name) ==
        request.tools.end())
      return web::invalid(at(where, i) + " must be the name of one of the functions");
  if (names->size() == 1) {
    request.options["tool_choice"] =
        json::object{{"type", "function"}, {"function", json::object{{"name", names->front()}}}};
    return std::nullopt;
  }
  // The others are not offered.
  std::erase_if(request.tools, [names](const ToolDefinition& tool) {
    return std::ranges::find(*names, json::value(tool.name)) == names->end();
  });
  request.options["tool_choice"] = "required";
  return std::nullopt;
}

Problem read_tool_config(const json::object& body, ChatRequest& request) {
  const auto* value = member(body, "toolConfig");
  if (!value) return std::nullopt;
  if (!value->is_object()) return web::invalid("toolConfig must be an object");
  for (const auto& field : value->get_object()) {
    const auto name = camel_case(field.key());
    const bool is_off = field.value().is_null() || field.value() == false;
    if (name != "functionCallingConfig" && !is_off) return not_supported("toolConfig.", name);
  }
  const auto* config = object_of(value->get_object(), "functionCallingConfig");
  if (!config) return std::nullopt;
  const std::string where = "toolConfig.functionCallingConfig";
  const auto mode = text_of(*config, "mode");
  const bool is_free = mode.empty() || mode == "MODE_UNSPECIFIED" || mode == "AUTO" || mode == "VALIDATED";
  if (!is_free && mode != "ANY" && mode != "NONE")
    return web::invalid(where + ".mode must be one of: AUTO, ANY, NONE, VALIDATED");
  if (request.tools.empty()) return mode == "ANY" ? Problem(web::invalid("toolConfig needs tools")) : std::nullopt;
  if (mode != "ANY") {
    request.options["tool_choice"] = mode == "NONE" ? "none" : "auto";
    return std::nullopt;
  }
  request.options["tool_choice"] = "required";
  const auto* allowed = member(*config, "allowedFunctionNames");
  const bool is_limited = allowed && !is_empty_value(*allowed);
  return is_limited ? read_allowed(*allowed, where + ".allowedFunctionNames", request) : std::nullopt;
}

// Thinking is an effort in the internal form; each provider has its own budgets for it.
Problem read_thinking(const json::object& config, Parsed& parsed) {
  const auto* value = member(config, "thinkingConfig");
  if (!value) return std::nullopt;
  const auto* thinking = value->if_object();
  const std::string where = "generationConfig.thinkingConfig";
  if (!thinking) return web::invalid(where + " must be an object");
  auto& effort = parsed.request.options["reasoning_effort"];
  if (const auto* shown = member(*thinking, "includeThoughts")) {
    if (!shown->is_bool()) return web::invalid(where + ".includeThoughts must be true or false");
    parsed.includes_thoughts = shown->get_bool();
    if (parsed.includes_thoughts) effort = "medium";
  }
  if (const auto* budget = member(*thinking, "thinkingBudget")) {
    const auto* tokens = budget->if_int64();
    constexpr std::int64_t least = -1;  // the model decides
    if (!tokens || *tokens < least) return web::invalid(where + ".thinkingBudget must be a whole number from -1");
    effort = *tokens == least ? "medium" : *tokens == 0 ? "none" : effort_of_budget(*tokens);
  }
  if (const auto* level = member(*thinking, "thinkingLevel")) {
    constexpr std::array<std::string_view, 4> levels{"minimal", "low", "medium", "high"};
    const auto name = web::lower_case(web::string_or_empty(level));
    const bool is_level = std::ranges::count(levels, std::string_view(name)) > 0;
    if (!is_level && name != "thinking_level_unspecified")
      return web::invalid(where + ".thinkingLevel must be one of: MINIMAL, LOW, MEDIUM, HIGH");
    if (is_level) effort = name;
  }
  if (effort.is_null()) parsed.request.options.erase("reasoning_effort");
  return std::nullopt;
}

Problem read_format(const json::object& config, ChatRequest& request) {
  const auto type = text_of(config, "responseMimeType");
  if (!type.empty() && type != "text/plain" && type != "application/json")
    return web::invalid("generationConfig.responseMimeType must be text/plain or application/json");
  const json::value* schema = nullptr;
  for (const auto* name : {"responseSchema", "responseJsonSchema", "_responseJsonSchema"}) {
    const auto* value = given(config, name);
    if (!value) continue;
    if (!value->is_object()) return web::invalid("generationConfig." + std::string(name) + " must be an object");
    schema = value;
    if (name == std::string_view("responseSchema")) {
      request.options["response_format"] = answer_of_schema(json_schema_of(value->get_object()));
      return std::nullopt;
    }
  }
  if (schema)
    request.options["response_format"] = answer_of_schema(schema->get_object());
  else if (type == "application/json")
    request.options["response_format"] = json::object{{"type", "json_object"}};
  return std::nullopt;
}

Problem read_modalities(const json::object& config, ChatRequest& request) {
  const auto* value = given(config, "responseModalities");
  if (!value) return std::nullopt;
  const auto* list = value->if_array();
  if (!list) return web::invalid("generationConfig.responseModalities must be an array");
  json::array names;
  for (const auto& each : *list) {
    const auto name = web::lower_case(web::string_or_empty(&each));
    if (name != "text" && name != "image" && name != "audio")
      return web::invalid("generationConfig.responseModalities must have TEXT, IMAGE or AUDIO");
    names.emplace_back(name);
  }
  // An answer of text is what every model gives.
  const bool is_text_only = std::ranges::all_of(names, [](const auto& name) { return name == "text"; });
  if (!is_text_only) request.options["modalities"] = std::move(names);
  return std::nullopt;
}

Problem read_stops(const json::object& config, ChatRequest& request) {
  const auto* value = given(config, "stopSequences");
  if (!value) return std::nullopt;
  const auto* list = value->if_array();
  const bool are_texts = list && std::ranges::all_of(*list, [](const json::value& each) { return each.is_string(); });
  if (!are_texts || list->size() > max_stops)
    return web::invalid("generationConfig.stopSequences must be an array of at most 16 strings");
  for (const auto& each : *list)
    if (!web::is_blank(each.get_string())) request.stop.emplace_back(each.get_string());
  return std::nullopt;
}

// Numbers, each with its name in the internal form.
Problem read_numbers(const json::object& config, ChatRequest& request) {
  const auto read = [&config](std::string_view name, double low, double high) -> web::Result<std::optional<double>> {
    auto number = number_within(config, name, low, high);
    if (!number) return web::invalid("generationConfig." + number.error().message);
    return number;
  };
  const auto temperature = read("temperature", 0, 2), top_p = read("topP", 0, 1);
  for (const auto* number : {&temperature, &top_p})
    if (!*number) return number->error();
  request.temperature = *temperature;
  request.top_p = *top_p;
  for (const auto& [name, option] :
       {std::pair("presencePenalty", "presence_penalty"), std::pair("frequencyPenalty", "frequency_penalty")}) {
    const auto penalty = read(name, -2, 2);
    if (!penalty) return penalty.error();
    if (*penalty) request.options[option] = **penalty;
  }
  const auto whole = [&config](std::string_view name) -> std::optional<std::int64_t> {
    const auto* value = given(config, name);
    return value && value->is_int64() ? std::optional(value->get_int64()) : std::nullopt;
  };
  constexpr std::int64_t most = 1'000'000;
  if (given(config, "maxOutputTokens")) {
    request.max_tokens = whole("maxOutputTokens");
    if (!request.max_tokens || *request.max_tokens < 1 || *request.max_tokens > most)
      return web::invalid("generationConfig.maxOutputTokens must be a whole number from 1 to " + std::to_string(most));
  }
  if (given(config, "seed")) {
    const auto seed = whole("seed");
    if (!seed) return web::invalid("generationConfig.seed must be a whole number");
    request.options["seed"] = *seed;
  }
  if (given(config, "candidateCount") && whole("candidateCount") != 1)
    return web::invalid("generationConfig.candidateCount must be 1");
  return std::nullopt;
}

Problem read_config(const json::object& body, Parsed& parsed) {
  constexpr std::array<std::string_view, 15> known{"temperature",        "topP",
                                                   "maxOutputTokens",    "stopSequences",
                                                   "candidateCount",     "seed",
                                                   "presencePenalty",    "frequencyPenalty",
                                                   "responseMimeType",   "responseSchema",
                                                   "responseJsonSchema", "thinkingConfig",
                                                   "responseModalities", "_responseJsonSchema",
                                                   "responseLogprobs"};
  const auto* value = member(body, "generationConfig");
  if (!value) return std::nullopt;
  if (!value->is_object()) return web::invalid("generationConfig must be an object");
  json::object config;
  for (const auto& field : value->get_object()) {
    const auto name = camel_case(field.key());
    if (is_empty_value(field.value()) && name != "responseSchema") continue;
    const bool has_effect = std::ranges::count(config_without_effect, name) == 0;
    if (has_effect && std::ranges::count(known, name) == 0) return not_supported("generationConfig.", name);
    if (has_effect) config[name] = field.value();
  }
  if (const auto* logprobs = given(config, "responseLogprobs"); logprobs && *logprobs != false)
    return not_supported("generationConfig.", "responseLogprobs");
  auto& request = parsed.request;
  if (auto problem = read_numbers(config, request)) return problem;
  if (auto problem = read_stops(config, request)) return problem;
  if (auto problem = read_modalities(config, request)) return problem;
  if (auto problem = read_format(config, request)) return problem;
  return read_thinking(config, parsed);
}

Problem refuse_unknown(const json::object& body) {
  for (const auto& field : body) {
    const auto name = camel_case(field.key());
    if (is_empty_value(field.value()) || std::ranges::count(known_members, name) > 0 ||
        std::ranges::count(without_effect, name) > 0)
      continue;
    return not_supported("", name);
  }
  return std::nullopt;
}

}  // namespace

web::Result<Parsed> parse_request(const json::object& body, std::string model) {
  Parsed parsed;
  auto& request = parsed.request;
  constexpr std::size_t longest_name = 200;
  if (model.empty() || model.size() > longest_name) return web::invalid("model must have 1 to 200 characters");
  request.model = std::move(model);
  if (auto problem = refuse_unknown(body)) return std::move(*problem);
  if (auto problem = read_contents(body, request)) return std::move(*problem);
  if (auto problem = read_tools(body, request)) return std::move(*problem);
  if (auto problem = read_tool_config(body, request)) return std::move(*problem);
  if (auto problem = read_config(body, parsed)) return std::move(*problem);
  return parsed;
}

}  // namespace models::generate
