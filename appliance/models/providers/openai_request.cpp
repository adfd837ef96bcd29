// The request half of openai_wire.h.
#include <algorithm>
#include <boost/json.hpp>
#include <utility>

#include "appliance/models/client_wire.h"
#include "appliance/models/providers/openai_options.h"
#include "appliance/models/providers/openai_reasoning.h"
#include "appliance/models/providers/openai_wire.h"
#include "appliance/models/providers/repair.h"
#include "appliance/models/providers/wire_json.h"
#include "web/blank.h"
#include "web/json.h"
#include "web/routes/fields.h"

namespace models::openai {

namespace json = boost::json;

namespace {

constexpr std::size_t max_images = 20, max_files = 10;

// The URL of an image, or nothing if models do not accept it.
std::optional<Part> parse_image(const json::object& part) {
  const auto* member = part.if_contains("image_url");
  const auto* image = member ? member->if_object() : nullptr;
  const auto* url = image ? image->if_contains("url") : nullptr;
  if (!url || !url->is_string()) return std::nullopt;
  Part parsed{.url = std::string(url->get_string()), .kind = PartKind::image};
  const auto given_inline = inline_image(parsed.url);
  const bool inline_sound = given_inline && given_inline->type.starts_with("image/") &&
                            given_inline->type.size() < 64 && is_base64(given_inline->data);
  if (!inline_sound && !is_public_url(parsed.url)) return std::nullopt;
  if (const auto* detail = image->if_contains("detail"); detail && detail->is_string()) {
    parsed.detail = detail->get_string();
    if (parsed.detail != "auto" && parsed.detail != "low" && parsed.detail != "high") return std::nullopt;
  }
  return parsed;
}

// {type: input_audio, input_audio: {data, format}}, or {type: file, file: {file_data, filename}}.
std::optional<Part> parse_file(const json::object& part) {
  if (const auto* audio = web::object_member(part, "input_audio")) {
    const auto data = web::string_member(*audio, "data"), format = web::string_member(*audio, "format");
    if ((format != "wav" && format != "mp3") || !is_base64(data)) return std::nullopt;
    return Part{.url = "data:audio/" + format + ";base64," + data, .kind = PartKind::audio};
  }
  const auto* file = web::object_member(part, "file");
  if (!file) return std::nullopt;
  Part parsed{.url = web::string_member(*file, "file_data"),
              .name = web::string_member(*file, "filename"),
              .kind = PartKind::file};
  const auto given = inline_image(parsed.url);
  if (!given || !is_media_type(given->type) || !is_base64(given->data)) return std::nullopt;
  return parsed;
}

// Fills in the content, the parts when there is more than text, and the reasoning of an assistant.
std::optional<web::Error> parse_content(const json::value& value, const std::string& where, Message& message) {
  if (const auto* text = value.if_string()) {
    message.content = *text;
    return std::nullopt;
  }
  const auto* list = value.if_array();
  if (!list) return web::invalid(where + " must be a string or an array of text parts");
  const bool may_see = message.role == Role::user || message.role == Role::tool;
  std::vector<Part> parts;
  std::size_t images = 0, files = 0;
  ReasoningReader reasoning;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const auto* part = (*list)[i].if_object();
    if (part && message.role == Role::assistant && reasoning.read_part(*part, message.reasoning, nullptr)) continue;
    const auto* text = part ? part->if_contains("text") : nullptr;
    if (text && text->is_string()) {
      if (!message.content.empty()) message.content += '\n';
      message.content += text->get_string();
      parts.push_back({.text = std::string(text->get_string())});
      continue;
    }
    if (part && message.role == Role::assistant && part->contains("refusal")) {
      message.refusal += web::string_member(*part, "refusal");
      continue;
    }
    auto image = part && may_see ? parse_image(*part) : std::nullopt;
    auto file = part && may_see && !image ? parse_file(*part) : std::nullopt;
    if (!image && !file) {
      return web::invalid(at(where, i) + " must be a part of type text" +
                          (may_see ? ", of type image_url with an https:, public http: or data:image/...;base64, "
                                     "address, of type input_audio with wav or mp3, or of type file with file_data "
                                     "data:...;base64,"
                                   : ""));
    }
    if (image && ++images > max_images) return web::invalid(where + " must have at most 20 images");
    if (file && ++files > max_files) return web::invalid(where + " must have at most 10 files");
    parts.push_back(image ? std::move(*image) : std::move(*file));
  }
  if (images + files > 0) message.parts = std::move(parts);
  return std::nullopt;
}

web::Result<std::vector<ToolCall>> parse_request_calls(const json::value& value, const std::string& where) {
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
    if (id && !id->is_string() && !id->is_null()) return web::invalid(at(where, i, "id") + " must be a string");
    if (!name || !name->is_string()) return web::invalid(at(where, i, "function.name") + " must be a string");
    // Some servers write objects, which their clients send back.
    const bool is_object = arguments && arguments->is_object();
    if (arguments && !arguments->is_string() && !arguments->is_null() && !is_object) {
      return web::invalid(at(where, i, "function.arguments") + " must be a string");
    }
    calls.push_back({.id = web::string_or_empty(id),
                     .name = std::string(name->get_string()),
                     .arguments = is_object ? json::serialize(*arguments) : web::string_or_empty(arguments)});
    read_signature(*entry, calls.back());
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
  } else if (*role == Role::user || *role == Role::system) {
    return web::invalid(where + ".content is required");
  }
  if (*role == Role::assistant) {
    if (const auto* calls = given(*object, "tool_calls")) {
      auto parsed = parse_request_calls(*calls, where + ".tool_calls");
      if (!parsed) return parsed.error();
      message.tool_calls = std::move(*parsed);
    }
    ReasoningReader().read(*object, message.reasoning, nullptr);
    message.refusal += web::string_member(*object, "refusal");
  }
  if (*role == Role::tool) {
    const auto* id = given(*object, "tool_call_id");
    if (!id || !id->is_string()) return web::invalid(where + ".tool_call_id must be a string");
    message.tool_call_id = id->get_string();
  } else if (*role == Role::user && web::is_blank(message.content) && message.parts.empty()) {
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

json::object call_to_wire(const ToolCall& call, const Dialect& dialect) {
  const auto repaired = checked_call(call);
  json::object wire{{"id", call.id},
                    {"type", "function"},
                    {"function", {{"name", call.name}, {"arguments", repaired.malformed ? "{}" : repaired.arguments}}}};
  const bool is_known = dialect.provider.empty() || call.signed_by == dialect.provider || dialect.signs_calls;
  if (!call.signature.empty() && is_known)
    wire["extra_content"] = signature_to_wire(call.signature, dialect.provider.empty() ? call.signed_by : "");
  return wire;
}

json::object part_to_wire(const Part& part) {
  if (part.is_text()) return {{"type", "text"}, {"text", part.text}};
  if (part.is_image()) {
    auto image = image_to_wire(part);
    if (!part.detail.empty()) image["image_url"].as_object()["detail"] = part.detail;
    return image;
  }
  const auto file = inline_image(part.url);
  if (part.kind == PartKind::audio && file) {
    const auto format = file->type.substr(file->type.find('/') + 1);
    return {{"type", "input_audio"}, {"input_audio", json::object{{"data", file->data}, {"format", format}}}};
  }
  json::object wire{{"file_data", part.url}};
  wire["filename"] = part.name.empty() ? "file" : part.name;
  return {{"type", "file"}, {"file", std::move(wire)}};
}

// The reasoning of an assistant's message, in the form that its server uses.
void add_reasoning(json::object& wire, const Message& message, const Dialect& dialect) {
  const auto& blocks = message.reasoning;
  if (blocks.empty() || dialect.reasoning.empty()) return;
  if (dialect.provider.empty()) {
    wire["reasoning_details"] = details_to_wire(blocks, true);
    return;
  }
  const auto is_plain = [](const Reasoning& block) {
    return block.format == reasoning_content_format || block.format == reasoning_format ||
           block.format == thinking_part_format;
  };
  const auto is_detail = [&](const Reasoning& block) {
    return !block.signature.empty() || !block.sealed.empty() || (!block.format.empty() && !is_plain(block));
  };
  if (std::ranges::any_of(blocks, is_detail)) {
    wire["reasoning_details"] = details_to_wire(blocks, false);
    return;
  }
  const auto text = reasoning_text(blocks);
  const auto form = is_plain(blocks.front()) ? std::string_view(blocks.front().format) : dialect.reasoning;
  if (form != thinking_part_format) {
    wire[form] = text;
    return;
  }
  json::array content;
  json::array thoughts;
  thoughts.push_back(json::object{{"type", "text"}, {"text", text}});
  content.push_back(json::object{{"type", "thinking"}, {"thinking", std::move(thoughts)}});
  if (!message.content.empty()) content.push_back(json::object{{"type", "text"}, {"text", message.content}});
  wire["content"] = std::move(content);
}

json::object message_to_wire(const Message& message, const Dialect& dialect, const json::storage_ptr& memory) {
  json::object wire({{"role", boost::describe::enum_to_string(message.role, "")}, {"content", message.content}},
                    memory);
  if (!message.name.empty()) wire["name"] = message.name;
  if (!message.parts.empty() && message.role != Role::assistant) {
    json::array parts;
    for (const auto& part : message.parts) parts.push_back(part_to_wire(part));
    wire["content"] = std::move(parts);
  }
  if (message.role == Role::tool) wire["tool_call_id"] = message.tool_call_id;
  if (!message.refusal.empty()) wire["refusal"] = message.refusal;
  add_reasoning(wire, message, dialect);
  if (!message.tool_calls.empty()) {
    json::array calls;
    for (const auto& call : message.tool_calls) calls.push_back(call_to_wire(call, dialect));
    wire["tool_calls"] = std::move(calls);
  }
  return wire;
}

// Servers take images of users only: those of a result follow all results of its step.
void move_images_of_results(std::vector<Message>& messages) {
  std::vector<Part> images;
  for (std::size_t at = 0; at < messages.size(); ++at) {
    auto& message = messages[at];
    if (message.role == Role::tool && !message.parts.empty()) {
      for (auto& part : message.parts)
        if (!part.is_text()) images.push_back(std::move(part));
      message.parts.clear();
    }
    const bool is_last_result = at + 1 == messages.size() || messages[at + 1].role != Role::tool;
    if (images.empty() || !is_last_result) continue;
    constexpr const char* note = "(Images from the results above.)";
    images.insert(images.begin(), Part{.text = note});
    const auto next = messages.begin() + static_cast<std::ptrdiff_t>(at) + 1;
    messages.insert(next, Message{.role = Role::user, .content = note, .parts = std::exchange(images, {})});
  }
}

json::object tool_to_wire(const ToolDefinition& tool) {
  json::object function{
      {"name", tool.name}, {"description", tool.description}, {"parameters", completed_schema(tool.parameters)}};
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
  auto temperature = number_within(*body, "temperature", 0, 2);
  if (!temperature) return temperature.error();
  request.temperature = *temperature;
  auto top_p = number_within(*body, "top_p", 0, 1);
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

json::object to_wire(const ChatRequest& request, const Dialect& dialect, const json::storage_ptr& memory) {
  auto conversation = request.messages;
  repair_calls(conversation);
  if (!dialect.provider.empty()) {
    keep_reasoning_of(dialect.provider, conversation);
    move_images_of_results(conversation);
  }
  json::array messages(memory);
  for (const auto& message : conversation) messages.push_back(message_to_wire(message, dialect, memory));
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
  for (const auto& member : request.unknown) wire.emplace(member.key(), member.value());
  return wire;
}

void mark_for_cache(json::object& wire) {
  const auto mark = [](json::object& message) {
    auto& content = message["content"];
    if (content.is_string()) {
      if (content.get_string().empty()) return false;
      json::array parts;
      parts.push_back(json::object{{"type", "text"}, {"text", content}});
      content = std::move(parts);
    }
    if (!content.is_array() || content.get_array().empty()) return false;
    content.get_array().back().as_object()["cache_control"] = json::object{{"type", "ephemeral"}};
    return true;
  };
  auto& messages = wire["messages"].as_array();
  if (!messages.empty() && messages.front().at("role") == "system") mark(messages.front().as_object());
  int marks = 2;
  for (auto i = messages.size(); i-- > 0 && marks > 0;) {
    auto& message = messages[i].as_object();
    if ((message["role"] == "user" || message["role"] == "tool") && mark(message)) --marks;
  }
}

}  // namespace models::openai
