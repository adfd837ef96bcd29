#include "appliance/models/providers/openai_options.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

namespace models::openai {

namespace json = boost::json;

namespace {

using Problem = std::optional<web::Error>;

constexpr std::size_t max_stops = 16, max_stop_bytes = 1'000, max_name_bytes = 64;

// Read by parse_request.
constexpr std::array<std::string_view, 9> read_elsewhere{
    "model",  "messages",      "tools", "temperature", "top_p", "max_tokens", "max_completion_tokens",
    "stream", "stream_options"};
// They concern the account at the vendor, which is the box's and not the client's, and do not affect the answer.
constexpr std::array<std::string_view, 5> without_effect{"user", "metadata", "store", "prompt_cache_key",
                                                         "safety_identifier"};
// Objects and texts whose form is the provider's affair.
constexpr std::array<std::string_view, 5> unchecked{"prediction", "modalities", "audio", "verbosity",
                                                    "prompt_cache_retention"};
// OpenAI's parameters that the box does not pass on to anybody: they are refused, since they would change the answer.
constexpr std::array<std::string_view, 3> refused{"functions", "function_call", "web_search_options"};

Problem must_be(std::string_view name, std::string_view what) {
  return web::invalid(std::string(name) + " must be " + std::string(what));
}

Problem stop(const json::value& value, ChatRequest& request) {
  if (value.is_string()) {
    if (!value.get_string().empty()) request.stop.emplace_back(value.get_string());
  } else if (const auto* list = value.if_array()) {
    for (const auto& each : *list) {
      if (!each.is_string()) return must_be("stop", "a string or an array of strings");
      if (!each.get_string().empty()) request.stop.emplace_back(each.get_string());
    }
  } else {
    return must_be("stop", "a string or an array of strings");
  }
  if (request.stop.size() > max_stops) return must_be("stop", "at most 16 strings");
  for (const auto& each : request.stop)
    if (each.size() > max_stop_bytes) return must_be("stop", "strings of at most 1000 bytes");
  return std::nullopt;
}

Problem tool_choice(const json::value& value, ChatRequest& request) {
  constexpr std::string_view what =
      "none, auto, required, or {type: 'function', function: {name}} with one of the tools";
  if (const auto* word = value.if_string()) {
    if (*word != "none" && *word != "auto" && *word != "required") return must_be("tool_choice", what);
    if (request.tools.empty() && *word == "required") return web::invalid("tool_choice needs tools");
    return std::nullopt;
  }
  const auto* object = value.if_object();
  const auto* member = object ? object->if_contains("function") : nullptr;
  const auto* function = member ? member->if_object() : nullptr;
  const auto* name = function ? function->if_contains("name") : nullptr;
  if (!name || !name->is_string()) return must_be("tool_choice", what);
  const bool offered = std::ranges::any_of(
      request.tools, [&](const auto& tool) { return std::string_view(tool.name) == name->get_string(); });
  return offered ? std::nullopt : must_be("tool_choice", what);
}

Problem response_format(const json::value& value, ChatRequest&) {
  constexpr std::string_view what =
      "{type: 'text' | 'json_object'} or {type: 'json_schema', json_schema: {name, schema}}";
  const auto* object = value.if_object();
  const auto* type = object ? object->if_contains("type") : nullptr;
  if (!type || !type->is_string()) return must_be("response_format", what);
  if (type->get_string() == "text" || type->get_string() == "json_object") return std::nullopt;
  const auto* member = object->if_contains("json_schema");
  const auto* schema = member ? member->if_object() : nullptr;
  const bool whole = schema && schema->contains("name") && schema->at("name").is_string() &&
                     schema->contains("schema") && schema->at("schema").is_object();
  return type->get_string() == "json_schema" && whole ? std::nullopt : must_be("response_format", what);
}

Problem penalty(std::string_view name, const json::value& value) {
  boost::system::error_code error;
  const auto number = value.is_number() ? value.to_number<double>(error) : std::nan("");
  return number >= -2 && number <= 2 ? std::nullopt : must_be(name, "a number from -2 to 2");
}

Problem seed(const json::value& value) { return value.is_int64() ? std::nullopt : must_be("seed", "a whole number"); }

Problem effort(const json::value& value) {
  constexpr std::array<std::string_view, 6> efforts{"none", "minimal", "low", "medium", "high", "xhigh"};
  const bool known = value.is_string() && std::ranges::count(efforts, std::string_view(value.get_string())) > 0;
  return known ? std::nullopt : must_be("reasoning_effort", "one of: none, minimal, low, medium, high, xhigh");
}

Problem logit_bias(const json::value& value) {
  const auto* object = value.if_object();
  const bool sound =
      object && std::ranges::all_of(*object, [](const auto& entry) {
        boost::system::error_code error;
        return entry.value().is_number() && std::abs(entry.value().template to_number<double>(error)) <= 100;
      });
  return sound ? std::nullopt : must_be("logit_bias", "an object of numbers from -100 to 100");
}

// One parameter that is passed on.
Problem check(std::string_view name, const json::value& value, ChatRequest& request) {
  if (name == "tool_choice") return tool_choice(value, request);
  if (name == "response_format") return response_format(value, request);
  if (name == "presence_penalty" || name == "frequency_penalty") return penalty(name, value);
  if (name == "seed") return seed(value);
  if (name == "reasoning_effort") return effort(value);
  if (name == "logit_bias") return logit_bias(value);
  if (name == "parallel_tool_calls") return value.is_bool() ? std::nullopt : must_be(name, "true or false");
  return std::nullopt;
}

constexpr std::array<std::string_view, 8> checked{
    "tool_choice", "response_format",  "presence_penalty", "frequency_penalty",
    "seed",        "reasoning_effort", "logit_bias",       "parallel_tool_calls"};

bool contains(const auto& names, std::string_view name) { return std::ranges::count(names, name) > 0; }

}  // namespace

std::optional<web::Error> read_options(const json::object& body, ChatRequest& request) {
  for (const auto& field : body) {
    const std::string_view name = field.key();
    const auto& value = field.value();
    if (contains(read_elsewhere, name) || contains(without_effect, name) || value.is_null()) continue;
    if (name == "stop") {
      if (auto problem = stop(value, request)) return problem;
    } else if (name == "n") {
      if (value != 1) return web::invalid("n must be 1: an answer has one choice");
    } else if (name == "service_tier") {
      // Others have prices of their own, which the catalogue does not know.
      if (value != "auto" && value != "default") return web::invalid("service_tier must be auto or default");
    } else if (name == "logprobs") {
      if (value != false) return web::invalid("logprobs is not supported");
    } else if (name == "top_logprobs") {
      if (value != 0) return web::invalid("top_logprobs must be 0: logprobs is not supported");
    } else if (contains(refused, name)) {
      return web::invalid(std::string(name) + " is not supported");
    } else if (contains(checked, name) || contains(unchecked, name)) {
      if (auto problem = check(name, value, request)) return problem;
      request.options[name] = value;
    } else {
      if (name.size() > max_name_bytes) return web::invalid("A parameter's name is longer than 64 bytes");
      request.unknown[name] = value;
    }
  }
  return std::nullopt;
}

}  // namespace models::openai
