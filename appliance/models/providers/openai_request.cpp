// The request half of openai_wire.h.
#include <algorithm>
#include <boost/json.hpp>
#include <cmath>

#include "appliance/models/providers/openai_options.h"
#include "appliance/models/providers/openai_wire.h"
#include "web/blank.h"
#include "web/routes/fields.h"

namespace models::openai {

namespace json = boost::json;

namespace {

std::string at(std::string_view array, std::size_t index, std::string_view field = {}) {
  auto where = std::string(array) + "[" + std::to_string(index) + "]";
  if (!field.empty()) where.append(".").append(field);
  return where;
}

// The member, or null when it is absent or JSON null: clients send both for "not given".
const json::value* given(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value && !value->is_null() ? value : nullptr;
}

constexpr std::size_t most_images = 20;

// The URL of an image, or nothing if models do not accept it.
std::optional<Part> parse_image(const json::object& part) {
  const auto* member = part.if_contains("image_url");
  const auto* image = member ? member->if_object() : nullptr;
  const auto* url = image ? image->if_contains("url") : nullptr;
  if (!url || !url->is_string()) return std::nullopt;
  Part parsed{.url = std::string(url->get_string())};
  const auto given_inline = inline_image(parsed.url);
  const bool inline_sound =
      given_inline && given_inline->type.starts_with("image/") && given_inline->type.size() < 64 &&
      !given_inline->data.empty() &&
      given_inline->data.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=") ==
          std::string_view::npos;
  if (!inline_sound && !parsed.url.starts_with("https://")) return std::nullopt;
  if (const auto* detail = image->if_contains("detail"); detail && detail->is_string()) {
    parsed.detail = detail->get_string();
    if (parsed.detail != "auto" && parsed.detail != "low" && parsed.detail != "high") return std::nullopt;
  }
  return parsed;
}

// Fills in the content, and the parts when there are images.
std::optional<web::Error> parse_content(const json::value& value, const std::string& where, Message& message) {
  if (const auto* text = value.if_string()) {
    message.content = *text;
    return std::nullopt;
  }
  const auto* list = value.if_array();
  if (!list) return web::invalid(where + " must be a string or an array of text parts");
  const bool may_see = message.role == Role::user;
  std::vector<Part> parts;
  std::size_t images = 0;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const auto* part = (*list)[i].if_object();
    const auto* text = part ? part->if_contains("text") : nullptr;
    if (text && text->is_string()) {
      if (!message.content.empty()) message.content += '\n';
      message.content += text->get_string();
      parts.push_back({.text = std::string(text->get_string())});
      continue;
    }
    auto image = part && may_see ? parse_image(*part) : std::nullopt;
    if (!image) {
      return web::invalid(at(where, i) + " must be a part of type text" +
                          (may_see ? ", or of type image_url with an https: or data:image/...;base64, address" : ""));
    }
    if (++images > most_images) return web::invalid(where + " must have at most 20 images");
    parts.push_back(std::move(*image));
  }
  if (images > 0) message.parts = std::move(parts);
  return std::nullopt;
}

web::Result<std::vector<ToolCall>> parse_calls(const json::value& value, const std::string& where) {
  const auto* list = value.if_array();
  if (!list) return web::invalid(where + " must be an array");
  std::vector<ToolCall> calls;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const auto* entry = (*list)[i].if_object();
    const auto* id = entry ? entry->if_contains("id") : nullptr;
    const auto* member = entry ? entry->if_contains("function") : nullptr;
    const auto* function = member ? member->if_object() : nullptr;
    const auto* name = function ? function->if_contains("name") : nullptr;
    const auto* arguments = function ? function->if_contains("arguments") : nullptr;
    if (!id || !id->is_string()) return web::invalid(at(where, i, "id") + " must be a string");
    if (!name || !name->is_string()) return web::invalid(at(where, i, "function.name") + " must be a string");
    if (!arguments || !arguments->is_string()) {
      return web::invalid(at(where, i, "function.arguments") + " must be a string");
    }
    calls.push_back({.id = std::string(id->get_string()),
                     .name = std::string(name->get_string()),
                     .arguments = std::string(arguments->get_string())});
  }
  return calls;
}

std::optional<Role> role_named(std::string_view name) {
  if (name == "system" || name == "developer") return Role::system;
  if (name == "user") return Role::user;
  if (name == "assistant") return Role::assistant;
  if (name == "tool") return Role::tool;
  return std::nullopt;
}

// Of the author of a message, or empty: 1 to 64 characters without blanks and the characters that vendors refuse.
web::Result<std::string> parse_name(const json::object& message, const std::string& where) {
  const auto* value = given(message, "name");
  if (!value) return std::string();
  const auto name = web::parse_value<web::Text<1, 64>>(*value, where + ".name");
  if (!name) return name.error();
  if (name->find_first_of(" \t\r\n<|\\/>") != std::string::npos)
    return web::invalid(where + ".name must have no blanks and none of < | \\ / >");
  return std::string(*name);
}

web::Result<Message> parse_message(const json::value& value, const std::string& where) {
  const auto* object = value.if_object();
  if (!object) return web::invalid(where + " must be an object");
  const auto* role_value = given(*object, "role");
  const auto role = role_value && role_value->is_string() ? role_named(role_value->get_string()) : std::nullopt;
  if (!role) return web::invalid(where + ".role must be one of: system, developer, user, assistant, tool");
  Message message{.role = *role};
  auto name = parse_name(*object, where);
  if (!name) return name.error();
  message.name = std::move(*name);
  if (const auto* content = given(*object, "content")) {
    if (auto wrong = parse_content(*content, where + ".content", message)) return std::move(*wrong);
  } else if (*role != Role::assistant) {
    return web::invalid(where + ".content is required");
  }
  if (const auto* calls = given(*object, "tool_calls"); calls && *role == Role::assistant) {
    auto parsed = parse_calls(*calls, where + ".tool_calls");
    if (!parsed) return parsed.error();
    message.tool_calls = std::move(*parsed);
  }
  if (*role == Role::tool) {
    const auto* id = given(*object, "tool_call_id");
    if (!id || !id->is_string()) return web::invalid(where + ".tool_call_id must be a string");
    message.tool_call_id = id->get_string();
  } else if (const bool is_empty = *role == Role::user ? web::is_blank(message.content) : message.content.empty();
             is_empty && message.tool_calls.empty() && message.parts.empty()) {
    return web::invalid(where + ".content must not be empty");
  }
  return message;
}

bool is_tool_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == name.npos;
}

web::Result<ToolDefinition> parse_tool(const json::value& value, const std::string& where) {
  const auto* object = value.if_object();
  const auto* member = object ? object->if_contains("function") : nullptr;
  const auto* function = member ? member->if_object() : nullptr;
  if (!function) return web::invalid(where + " must be {type: 'function', function: {...}}");
  const auto* name = given(*function, "name");
  if (!name || !name->is_string() || !is_tool_name(name->get_string())) {
    return web::invalid(where + ".function.name must be 1 to 64 letters, digits, '_' or '-'");
  }
  ToolDefinition tool{.name = std::string(name->get_string())};
  if (const auto* description = given(*function, "description")) {
    if (!description->is_string()) return web::invalid(where + ".function.description must be a string");
    tool.description = description->get_string();
  }
  if (const auto* parameters = given(*function, "parameters")) {
    if (!parameters->is_object()) return web::invalid(where + ".function.parameters must be an object");
    tool.parameters = *parameters;
  } else {
    tool.parameters = json::object{{"type", "object"}, {"properties", json::object{}}};
  }
  if (const auto* strict = given(*function, "strict")) {
    if (!strict->is_bool()) return web::invalid(where + ".function.strict must be true or false");
    tool.strict = strict->get_bool();
  }
  return tool;
}

web::Result<std::optional<double>> parse_number(const json::object& body, std::string_view name, double low,
                                                double high) {
  const auto* value = given(body, name);
  if (!value) return std::optional<double>{};
  boost::system::error_code error;
  const auto number = value->is_number() ? value->to_number<double>(error) : std::nan("");
  if (!(number >= low && number <= high)) {
    return web::invalid(std::string(name) + " must be a number from " + std::to_string(static_cast<int>(low)) + " to " +
                        std::to_string(static_cast<int>(high)));
  }
  return std::optional(number);
}

web::Result<bool> parse_flag(const json::object& body, std::string_view name) {
  const auto* value = given(body, name);
  if (!value) return false;
  if (!value->is_bool()) return web::invalid(std::string(name) + " must be true or false");
  return value->get_bool();
}

// By either of its names; the smaller one if both are given.
web::Result<std::optional<std::int64_t>> parse_max_tokens(const json::object& body) {
  constexpr std::int64_t most = 1'000'000;
  std::optional<std::int64_t> limit;
  for (const auto* name : {"max_tokens", "max_completion_tokens"}) {
    const auto* value = given(body, name);
    if (!value) continue;
    boost::system::error_code error;
    const auto number = value->is_number() ? value->to_number<std::int64_t>(error) : 0;
    if (error || number < 1 || number > most) {
      return web::invalid(std::string(name) + " must be a whole number from 1 to " + std::to_string(most));
    }
    limit = std::min(number, limit.value_or(most));
  }
  return limit;
}

json::object call_to_wire(const ToolCall& call) {
  return {{"id", call.id},
          {"type", "function"},
          {"function", {{"name", call.name}, {"arguments", call.malformed ? "{}" : call.arguments}}}};
}

json::array parts_to_wire(const std::vector<Part>& parts) {
  json::array wire;
  for (const auto& part : parts) {
    if (part.url.empty()) {
      wire.push_back(json::object{{"type", "text"}, {"text", part.text}});
      continue;
    }
    json::object image{{"url", part.url}};
    if (!part.detail.empty()) image["detail"] = part.detail;
    wire.push_back(json::object{{"type", "image_url"}, {"image_url", std::move(image)}});
  }
  return wire;
}

json::object message_to_wire(const Message& message, const json::storage_ptr& memory) {
  json::object wire({{"role", boost::describe::enum_to_string(message.role, "")}, {"content", message.content}},
                    memory);
  if (!message.name.empty()) wire["name"] = message.name;
  if (!message.parts.empty()) wire["content"] = parts_to_wire(message.parts);
  if (message.role == Role::tool) wire["tool_call_id"] = message.tool_call_id;
  if (!message.tool_calls.empty()) {
    json::array calls;
    for (const auto& call : message.tool_calls) calls.push_back(call_to_wire(call));
    wire["tool_calls"] = std::move(calls);
  }
  return wire;
}

json::object tool_to_wire(const ToolDefinition& tool) {
  json::object function{{"name", tool.name}, {"description", tool.description}, {"parameters", tool.parameters}};
  if (tool.strict) function["strict"] = *tool.strict;
  return {{"type", "function"}, {"function", std::move(function)}};
}

}  // namespace

web::Result<ChatRequest> parse_request(const json::value& value) {
  const auto* body = value.if_object();
  if (!body) return web::invalid("The body must be a JSON object");
  ChatRequest request;
  if (const auto* model = given(*body, "model")) {
    auto name = web::parse_value<web::Text<0, 200>>(*model, "model");
    if (!name) return name.error();
    request.model = std::move(*name);
  }
  const auto* messages = given(*body, "messages");
  if (!messages) return web::invalid("messages is required");
  if (!messages->is_array() || messages->get_array().empty()) return web::invalid("messages must be a non-empty array");
  if (messages->get_array().size() > max_messages) {
    return web::invalid("messages must have at most " + std::to_string(max_messages) + " entries");
  }
  for (std::size_t i = 0; i < messages->get_array().size(); ++i) {
    auto message = parse_message(messages->get_array()[i], at("messages", i));
    if (!message) return message.error();
    request.messages.push_back(std::move(*message));
  }
  if (const auto* tools = given(*body, "tools")) {
    if (!tools->is_array() || tools->get_array().size() > max_tools) {
      return web::invalid("tools must be an array of at most " + std::to_string(max_tools) + " entries");
    }
    for (std::size_t i = 0; i < tools->get_array().size(); ++i) {
      auto tool = parse_tool(tools->get_array()[i], at("tools", i));
      if (!tool) return tool.error();
      request.tools.push_back(std::move(*tool));
    }
  }
  auto temperature = parse_number(*body, "temperature", 0, 2);
  if (!temperature) return temperature.error();
  request.temperature = *temperature;
  auto top_p = parse_number(*body, "top_p", 0, 1);
  if (!top_p) return top_p.error();
  request.top_p = *top_p;
  auto max_tokens = parse_max_tokens(*body);
  if (!max_tokens) return max_tokens.error();
  request.max_tokens = *max_tokens;
  auto stream = parse_flag(*body, "stream");
  if (!stream) return stream.error();
  request.stream = *stream;
  if (const auto* options = given(*body, "stream_options")) {
    if (!options->is_object()) return web::invalid("stream_options must be an object");
    auto include_usage = parse_flag(options->get_object(), "include_usage");
    if (!include_usage) return web::invalid("stream_options." + include_usage.error().message);
    request.include_usage = *include_usage;
  }
  if (auto wrong = read_options(*body, request)) return std::move(*wrong);
  return request;
}

json::object to_wire(const ChatRequest& request, const json::storage_ptr& memory) {
  json::array messages(memory);
  for (const auto& message : request.messages) messages.push_back(message_to_wire(message, memory));
  json::object wire({{"model", request.model}, {"messages", std::move(messages)}, {"stream", false}}, memory);
  if (!request.tools.empty()) {
    json::array tools;
    for (const auto& tool : request.tools) tools.push_back(tool_to_wire(tool));
    wire["tools"] = std::move(tools);
  }
  if (request.temperature) wire["temperature"] = *request.temperature;
  if (request.top_p) wire["top_p"] = *request.top_p;
  if (request.max_tokens) wire["max_tokens"] = *request.max_tokens;
  if (!request.stop.empty()) wire["stop"] = json::array(request.stop.begin(), request.stop.end());
  for (const auto& option : request.options) wire[option.key()] = option.value();
  return wire;
}

}  // namespace models::openai
