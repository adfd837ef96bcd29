#include "appliance/models/providers/wire_json.h"

#include <boost/json.hpp>

#include "appliance/foundation/crypto/random.h"
#include "appliance/models/providers/text_joiner.h"
#include "web/ascii.h"
#include "web/json.h"

namespace models {

namespace json = boost::json;

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

std::optional<std::string> missing_option(const ChatRequest& request, std::initializer_list<std::string_view> options,
                                          std::string_view provider) {
  if (!request.unknown.empty())
    return std::string(request.unknown.begin()->key()) + " is not supported by " + std::string(provider);
  for (const auto name : options) {
    if (!request.options.contains(name)) continue;
    const auto* object = web::object_member(request.options, name);
    if (name == "response_format" && object && web::string_member(*object, "type") == "text") continue;
    return std::string(name) + " is not supported by " + std::string(provider);
  }
  return std::nullopt;
}

json::value parse_object(std::string_view text, const json::storage_ptr& memory) {
  boost::system::error_code error;
  auto value = json::parse(text, error, memory);
  if (error) {
    json::parse_options options;
    options.allow_invalid_utf8 = true;
    value = json::parse(with_surrogate_bytes(text), error, memory, options);
  }
  if (error || !value.is_object()) return nullptr;
  return value;
}

namespace {

// FastAPI's: a text, or a list of {loc, msg}.
std::string text_of_detail(const json::value& detail) {
  if (const auto* text = detail.if_string()) return std::string(*text);
  std::string joined;
  const auto* list = detail.if_array();
  for (const auto& each : list ? *list : json::array()) {
    const auto message = web::string_member(each, "msg");
    if (!message.empty()) joined.append(joined.empty() ? "" : "; ").append(message);
  }
  return joined;
}

}  // namespace

std::optional<ReportedError> error_in(const json::object& body) {
  const auto described = [](const json::object& holder) {
    auto type = web::string_member(holder, "type");
    if (type.empty() || type == "error") type = web::string_member(holder, "code");
    if (type.empty()) type = web::string_member(holder, "status");
    return ReportedError{.type = std::move(type), .message = joined_text(web::string_member(holder, "message"))};
  };
  if (const auto* error = body.if_contains("error"); error && !error->is_null()) {
    if (const auto* holder = error->if_object()) return described(*holder);
    if (const auto* text = error->if_string()) return ReportedError{.type = "", .message = std::string(*text)};
  }
  if (web::string_member(body, "object") == "error" || web::string_member(body, "type") == "error")
    return described(body);
  const auto* detail = body.if_contains("detail");
  if (!detail || body.contains("choices")) return std::nullopt;
  auto text = text_of_detail(*detail);
  if (text.empty()) return std::nullopt;
  return ReportedError{.type = "", .message = std::move(text)};
}

void append_copies(const json::array& from, json::array& to) {
  for (const auto& each : from) to.emplace_back(json::value(each, to.storage()));
}

web::Error bad_answer(std::string clause) { return {.kind = web::Kind::bad_gateway, .message = std::move(clause)}; }

ToolCall checked_call(ToolCall call) {
  const auto arguments = web::trim(call.arguments, web::white_space);
  if (arguments.empty() || arguments == "null") call.arguments = "{}";
  call.malformed = !is_json_object(call.arguments);
  return call;
}

bool is_json_object(std::string_view text) {
  boost::system::error_code error;
  const auto parsed = json::parse(text, error);
  return !error && parsed.is_object();
}

void complete_calls(std::vector<ToolCall>& calls, Listener& listener) {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].arguments.empty()) listener.call(i, {}, {}, "{}");
    calls[i] = checked_call(std::move(calls[i]));
  }
}

void pass_call(std::size_t place, const ToolCall& call, Listener& listener) {
  if (call.signature.empty()) return listener.call(place, call.id, call.name, call.arguments);
  listener.other({.call = place,
                  .id = call.id,
                  .name = call.name,
                  .arguments = call.arguments,
                  .signature = call.signature,
                  .signed_by = call.signed_by});
}

std::string new_call_id() { return "call_" + crypto::random_id(24); }

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
