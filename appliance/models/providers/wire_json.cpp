#include "appliance/models/providers/wire_json.h"

#include <boost/json.hpp>

#include "appliance/foundation/crypto/random.h"

namespace models {

namespace json = boost::json;

const json::object* object_in(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value ? value->if_object() : nullptr;
}

const json::array* array_in(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value ? value->if_array() : nullptr;
}

std::string string_in(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::optional<std::int64_t> count_in(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  if (!value || !value->is_number()) return std::nullopt;
  boost::system::error_code error;
  const auto count = value->to_number<std::int64_t>(error);
  if (error || count < 0) return std::nullopt;
  return count;
}

std::optional<std::int64_t> token_count_in(const json::object& object, std::string_view name) {
  // As long as a context that the catalogue can describe.
  constexpr std::int64_t most = 100'000'000;
  const auto count = count_in(object, name);
  return count && *count <= most ? count : std::nullopt;
}

std::optional<std::int64_t> optional_token_count_in(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value && !value->is_null() ? token_count_in(object, name) : 0;
}

std::optional<std::string> only_in_openai_form(const ChatRequest& request) {
  for (std::size_t i = 0; i < request.messages.size(); ++i) {
    const auto& calls = request.messages[i].tool_calls;
    for (std::size_t j = 0; j < calls.size(); ++j)
      if (checked_call(calls[j]).malformed)
        return "messages[" + std::to_string(i) + "].tool_calls[" + std::to_string(j) +
               "].function.arguments must be a JSON object as text";
  }
  return std::nullopt;
}

std::optional<std::string> missing_option(const ChatRequest& request, std::initializer_list<std::string_view> options,
                                          std::string_view provider) {
  for (const auto name : options) {
    if (!request.options.contains(name)) continue;
    const auto* object = object_in(request.options, name);
    if (name == "response_format" && object && string_in(*object, "type") == "text") continue;
    return std::string(name) + " is not supported by " + std::string(provider);
  }
  return std::nullopt;
}

json::value parse_object(std::string_view text, const json::storage_ptr& memory) {
  boost::system::error_code error;
  auto value = json::parse(text, error, memory);
  if (error || !value.is_object()) return nullptr;
  return value;
}

web::Error bad_answer(std::string clause) { return {.kind = web::Kind::bad_gateway, .message = std::move(clause)}; }

ToolCall checked_call(ToolCall call) {
  if (call.arguments.empty()) call.arguments = "{}";
  boost::system::error_code error;
  const auto parsed = json::parse(call.arguments, error);
  call.malformed = error || !parsed.is_object();
  return call;
}

TokenUsage estimated_usage(const ChatRequest& request, const Message& answer) {
  return {.input = estimate_tokens(request), .output = estimate_tokens(answer), .estimated = true};
}

ChatAnswer with_defaults(ChatAnswer answer, const ChatRequest& request, const std::optional<TokenUsage>& reported,
                         std::string_view id_prefix) {
  answer.usage = reported ? *reported : estimated_usage(request, answer.message);
  if (answer.id.empty()) answer.id = std::string(id_prefix) + crypto::random_id(24);
  if (answer.model.empty()) answer.model = request.model;
  return answer;
}

}  // namespace models
