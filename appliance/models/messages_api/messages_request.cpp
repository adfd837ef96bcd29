// The request half of messages_wire.h.
#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <utility>

#include "appliance/models/client_wire.h"
#include "appliance/models/messages_api/messages_wire.h"
#include "appliance/models/providers/openai_wire.h"
#include "web/blank.h"
#include "web/json.h"
#include "web/routes/fields.h"

namespace models::messages {

namespace json = boost::json;

namespace {

using Problem = std::optional<web::Error>;

constexpr std::size_t max_stops = 16, max_tool_name = 128;

// They concern caches, the account at the vendor or reports to it, and do not change the answer. top_k only refines the
// choice of tokens, and most providers do not have it.
constexpr std::array<std::string_view, 9> without_effect{"metadata",    "cache_control", "context_management",
                                                         "diagnostics", "inference_geo", "service_tier",
                                                         "speed",       "top_k",         "user_profile_id"};

// The source of an image or a file as an address: {type: base64, media_type, data} or {type: url, url}; nothing for
// others. `type` is the beginning of the media types that are accepted.
std::optional<std::string> source_url(const json::object& block, std::string_view type) {
  const auto* source = web::object_member(block, "source");
  if (!source) return std::nullopt;
  const auto kind = web::string_member(*source, "type");
  if (kind == "url") {
    auto url = web::string_member(*source, "url");
    return url.starts_with("https://") ? std::optional(std::move(url)) : std::nullopt;
  }
  const auto media_type = web::string_member(*source, "media_type"), data = web::string_member(*source, "data");
  if (kind != "base64" || !media_type.starts_with(type) || !is_media_type(media_type) || !is_base64(data))
    return std::nullopt;
  return "data:" + media_type + ";base64," + data;
}

// A document that is text: {type: text, data}; nothing for PDF files and addresses.
std::optional<std::string> document_text(const json::object& block) {
  const auto* source = web::object_member(block, "source");
  if (!source || web::string_member(*source, "type") != "text") return std::nullopt;
  const auto title = web::string_member(block, "title");
  return (title.empty() ? std::string() : title + "\n\n") + web::string_member(*source, "data");
}

// Text and parts of a message, or of the result of a tool.
class ContentReader {
 public:
  explicit ContentReader(Message& message) : builder_(message) {}

  void add_text(std::string_view text) { builder_.add_text(text); }

  // A text, an image or a document. `is_one` is false for blocks of other types.
  Problem add(const json::object& block, std::string_view type, const std::string& where, bool& is_one) {
    is_one = true;
    if (type == "text") {
      const auto* text = given(block, "text");
      if (!text || !text->is_string()) return web::invalid(where + ".text must be a string");
      add_text(text->get_string());
    } else if (type == "image") {
      return add_part(block, PartKind::image, "image/", where);
    } else if (type == "document") {
      const auto text = document_text(block);
      if (!text) return add_part(block, PartKind::file, "application/pdf", where);
      add_text(*text);
    } else {
      is_one = false;
    }
    return std::nullopt;
  }

  void finish() { builder_.finish(); }

 private:
  Problem add_part(const json::object& block, PartKind kind, std::string_view type, const std::string& where) {
    auto url = source_url(block, type);
    if (!url)
      return web::invalid(where + ".source must be {type: 'base64', media_type: '" + std::string(type) +
                          (kind == PartKind::image ? "...'" : "'") + ", data} or {type: 'url', url: 'https://...'}");
    builder_.add_file(
        {.text = {}, .url = std::move(*url), .detail = {}, .name = web::string_member(block, "title"), .kind = kind});
    return std::nullopt;
  }

  ContentBuilder builder_;
};

// Reads one message. Results of tools are messages of their own in the internal form.
class MessageReader {
 public:
  MessageReader(std::vector<Message>& messages, Role role) : messages_(messages), message_{.role = role} {}

  Problem read(const json::value& value, const std::string& where) {
    if (auto problem = content(value, where)) return problem;
    content_.finish();
    // Blank messages are left out: vendors refuse them.
    const bool is_blank = message_.role == Role::user && web::is_blank(message_.content) && message_.parts.empty();
    if (!is_blank && !is_empty(message_)) messages_.push_back(std::move(message_));
    return std::nullopt;
  }

 private:
  Problem content(const json::value& value, const std::string& where) {
    if (const auto* text = value.if_string()) {
      content_.add_text(*text);
      return std::nullopt;
    }
    const auto* blocks = value.if_array();
    if (!blocks) return web::invalid(where + " must be a string or an array of content blocks");
    for (std::size_t i = 0; i < blocks->size(); ++i) {
      const auto* each = (*blocks)[i].if_object();
      if (!each) return web::invalid(at(where, i) + " must be an object");
      if (auto problem = block(*each, at(where, i))) return problem;
    }
    return std::nullopt;
  }

  Problem block(const json::object& block, const std::string& where) {
    const auto type = web::string_member(block, "type");
    const bool is_users = message_.role == Role::user;
    if (message_.role == Role::assistant) {
      if (type == "tool_use") return call(block, where);
      if (type == "thinking" || type == "redacted_thinking") return reasoning(block, type);
    }
    if (type == "tool_result" && is_users) return result(block, where);
    bool is_one = false;
    if (type == "text" || is_users)
      if (auto problem = content_.add(block, type, where, is_one)) return problem;
    if (is_one) return std::nullopt;
    return web::invalid(where + ".type must be " +
                        (is_users                           ? "text, image, document or tool_result"
                         : message_.role == Role::assistant ? "text, tool_use, thinking or redacted_thinking"
                                                            : "text"));
  }

  Problem call(const json::object& block, const std::string& where) {
    ToolCall call{.id = web::string_member(block, "id"), .name = web::string_member(block, "name")};
    if (call.id.empty()) return web::invalid(where + ".id must be a string");
    if (call.name.empty()) return web::invalid(where + ".name must be a string");
    const auto* input = web::object_member(block, "input");
    if (!input) return web::invalid(where + ".input must be an object");
    call.arguments = json_text(*input);
    for (auto signature = signatures_.begin(); signature != signatures_.end(); ++signature) {
      if (signature->call != call.id) continue;
      call.signature = std::move(signature->signature);
      call.signed_by = std::move(signature->provider);
      signatures_.erase(signature);
      break;
    }
    message_.tool_calls.push_back(std::move(call));
    return std::nullopt;
  }

  Problem reasoning(const json::object& block, std::string_view type) {
    if (type == "redacted_thinking") {
      const auto data = web::string_member(block, "data");
      if (auto signature = unpack_call_signature(data)) {
        const auto signed_call = std::ranges::find(message_.tool_calls, signature->call, &ToolCall::id);
        if (signed_call == message_.tool_calls.end()) {
          signatures_.push_back(std::move(*signature));
        } else {
          signed_call->signature = std::move(signature->signature);
          signed_call->signed_by = std::move(signature->provider);
        }
        return std::nullopt;
      }
      auto sealed = unpack_reasoning(data);
      sealed.sealed = std::exchange(sealed.signature, {});
      message_.reasoning.push_back(std::move(sealed));
      return std::nullopt;
    }
    auto shown = unpack_reasoning(web::string_member(block, "signature"));
    shown.text = web::string_member(block, "thinking");
    message_.reasoning.push_back(std::move(shown));
    return std::nullopt;
  }

  Problem result(const json::object& block, const std::string& where) {
    Message result{.role = Role::tool, .tool_call_id = web::string_member(block, "tool_use_id")};
    if (result.tool_call_id.empty()) return web::invalid(where + ".tool_use_id must be a string");
    ContentReader reader(result);
    const auto* is_error = given(block, "is_error");
    if (is_error && *is_error == true) reader.add_text("Error:");
    if (const auto* content = given(block, "content")) {
      if (const auto* text = content->if_string()) {
        reader.add_text(*text);
      } else if (const auto* blocks = content->if_array()) {
        for (std::size_t i = 0; i < blocks->size(); ++i)
          if (auto problem = part_of_result((*blocks)[i], at(where + ".content", i), reader)) return problem;
      } else {
        return web::invalid(where + ".content must be a string or an array of content blocks");
      }
    }
    reader.finish();
    if (result.content.empty() && result.parts.empty()) result.content = "(no output)";
    messages_.push_back(std::move(result));
    return std::nullopt;
  }

  static Problem part_of_result(const json::value& value, const std::string& where, ContentReader& reader) {
    const auto* block = value.if_object();
    const auto type = block ? web::string_member(*block, "type") : std::string();
    bool is_one = false;
    if (type == "tool_reference") {
      reader.add_text(web::string_member(*block, "tool_name"));
      return std::nullopt;
    }
    if (block)
      if (auto problem = reader.add(*block, type, where, is_one)) return problem;
    if (is_one) return std::nullopt;
    return web::invalid(where + ".type must be text, image or document");
  }

  std::vector<Message>& messages_;
  Message message_;
  ContentReader content_{message_};
  std::vector<CallSignature> signatures_;  // of calls that have not been read yet
};

Problem read_message(const json::value& value, const std::string& where, std::vector<Message>& messages) {
  const auto* object = value.if_object();
  if (!object) return web::invalid(where + " must be an object");
  const auto role = web::string_member(*object, "role");
  if (role != "user" && role != "assistant" && role != "system")
    return web::invalid(where + ".role must be one of: user, assistant, system");
  const auto* content = given(*object, "content");
  if (!content) return web::invalid(where + ".content is required");
  MessageReader reader(messages, role == "user" ? Role::user : role == "system" ? Role::system : Role::assistant);
  return reader.read(*content, where + ".content");
}

Problem read_messages(const json::object& body, ChatRequest& request) {
  if (const auto* system = given(body, "system")) {
    MessageReader reader(request.messages, Role::system);
    if (auto problem = reader.read(*system, "system")) return problem;
  }
  const auto* messages = given(body, "messages");
  if (!messages) return web::invalid("messages is required");
  const auto* list = messages->if_array();
  if (!list || list->empty()) return web::invalid("messages must be a non-empty array");
  if (list->size() > openai::max_messages)
    return web::invalid("messages must have at most " + std::to_string(openai::max_messages) + " entries");
  const auto before = request.messages.size();
  for (std::size_t i = 0; i < list->size(); ++i)
    if (auto problem = read_message((*list)[i], at("messages", i), request.messages)) return problem;
  if (request.messages.size() == before) return web::invalid("messages must have content");
  return std::nullopt;
}

Problem read_tool(const json::value& value, const std::string& where, ChatRequest& request) {
  const auto* object = value.if_object();
  if (!object) return web::invalid(where + " must be an object");
  if (const auto type = web::string_member(*object, "type"); !type.empty() && type != "custom")
    return web::invalid(where + ".type must be custom: the box has none of the vendor's own tools, such as " +
                        type.substr(0, 64));
  ToolDefinition tool{.name = web::string_member(*object, "name")};
  constexpr const char* letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  if (tool.name.empty() || tool.name.size() > max_tool_name || tool.name.find_first_not_of(letters) != tool.name.npos)
    return web::invalid(where + ".name must be 1 to 128 letters, digits, '_' or '-'");
  tool.description = web::string_member(*object, "description");
  const auto* schema = web::object_member(*object, "input_schema");
  if (!schema) return web::invalid(where + ".input_schema must be an object");
  tool.parameters = *schema;
  if (const auto* strict = given(*object, "strict"); strict && strict->is_bool()) tool.strict = strict->get_bool();
  request.tools.push_back(std::move(tool));
  return std::nullopt;
}

Problem read_tool_choice(const json::object& choice, ChatRequest& request) {
  const auto type = web::string_member(choice, "type");
  if (type == "auto" || type == "none") {
    if (!request.tools.empty()) request.options["tool_choice"] = type;
  } else if (type == "any") {
    if (request.tools.empty()) return web::invalid("tool_choice needs tools");
    request.options["tool_choice"] = "required";
  } else if (type == "tool") {
    const auto name = web::string_member(choice, "name");
    if (std::ranges::find(request.tools, name, &ToolDefinition::name) == request.tools.end())
      return web::invalid("tool_choice.name must be the name of one of the tools");
    request.options["tool_choice"] = json::object{{"type", "function"}, {"function", {{"name", name}}}};
  } else {
    return web::invalid("tool_choice.type must be one of: auto, any, tool, none");
  }
  const auto* serial = given(choice, "disable_parallel_tool_use");
  if (serial && *serial == true && !request.tools.empty()) request.options["parallel_tool_calls"] = false;
  return std::nullopt;
}

Problem read_tools(const json::object& body, ChatRequest& request) {
  if (const auto* tools = given(body, "tools")) {
    const auto* list = tools->if_array();
    if (!list || list->size() > openai::max_tools)
      return web::invalid("tools must be an array of at most " + std::to_string(openai::max_tools) + " entries");
    for (std::size_t i = 0; i < list->size(); ++i)
      if (auto problem = read_tool((*list)[i], at("tools", i), request)) return problem;
  }
  const auto* choice = given(body, "tool_choice");
  if (!choice) return std::nullopt;
  if (!choice->is_object()) return web::invalid("tool_choice must be an object");
  return read_tool_choice(choice->get_object(), request);
}

// Thinking is an effort in the internal form; each provider has its own budgets for it.
Problem read_thinking(const json::object& body, ChatRequest& request) {
  if (const auto* value = given(body, "thinking")) {
    const auto* thinking = value->if_object();
    const auto type = thinking ? web::string_member(*thinking, "type") : std::string();
    if (type == "enabled") {
      const auto* budget = thinking->if_contains("budget_tokens");
      const auto* tokens = budget ? budget->if_int64() : nullptr;
      if (!tokens || *tokens < 1) return web::invalid("thinking.budget_tokens must be a whole number of at least 1");
      request.options["reasoning_effort"] = effort_of_budget(*tokens);
    } else if (type == "adaptive") {
      request.options["reasoning_effort"] = "high";
    } else if (type != "disabled") {
      return web::invalid("thinking.type must be one of: enabled, adaptive, disabled");
    }
  }
  const auto* value = given(body, "output_config");
  if (!value) return std::nullopt;
  const auto* config = value->if_object();
  if (!config) return web::invalid("output_config must be an object");
  if (const auto* effort = given(*config, "effort")) {
    constexpr std::array<std::string_view, 5> efforts{"low", "medium", "high", "xhigh", "max"};
    const auto name = web::string_or_empty(effort);
    if (std::ranges::count(efforts, name) == 0)
      return web::invalid("output_config.effort must be one of: low, medium, high, xhigh, max");
    // The effort also sets how much is written; without thinking there is none to spend.
    if (request.options.contains("reasoning_effort"))
      request.options["reasoning_effort"] = name == "max" ? "xhigh" : name;
  }
  if (const auto* format = given(*config, "format")) {
    const auto* object = format->if_object();
    const auto* schema = object ? web::object_member(*object, "schema") : nullptr;
    if (!schema || web::string_member(*object, "type") != "json_schema")
      return web::invalid("output_config.format must be {type: 'json_schema', schema}");
    request.options["response_format"] = answer_of_schema(*schema);
  }
  return std::nullopt;
}

Problem read_limits(const json::object& body, bool is_count, ChatRequest& request) {
  constexpr std::int64_t most = 1'000'000;
  if (const auto* value = given(body, "max_tokens")) {
    const auto* tokens = value->if_int64();
    if (!tokens || *tokens < 1 || *tokens > most)
      return web::invalid("max_tokens must be a whole number from 1 to " + std::to_string(most));
    request.max_tokens = *tokens;
  } else if (!is_count) {
    return web::invalid("max_tokens is required");
  }
  if (const auto* value = given(body, "stop_sequences")) {
    const auto* list = value->if_array();
    const bool are_texts = list && std::ranges::all_of(*list, [](const json::value& each) { return each.is_string(); });
    if (!are_texts || list->size() > max_stops)
      return web::invalid("stop_sequences must be an array of at most 16 strings");
    for (const auto& each : *list)
      if (!web::is_blank(each.get_string())) request.stop.emplace_back(each.get_string());
  }
  if (const auto* value = given(body, "stream")) {
    if (!value->is_bool()) return web::invalid("stream must be true or false");
    request.stream = value->get_bool();
  }
  const auto temperature = number_within(body, "temperature", 0, 1);
  if (!temperature) return temperature.error();
  request.temperature = *temperature;
  const auto top_p = number_within(body, "top_p", 0, 1);
  if (!top_p) return top_p.error();
  request.top_p = *top_p;
  return std::nullopt;
}

Problem refuse_unknown(const json::object& body) {
  constexpr std::array<std::string_view, 13> known{
      "model", "messages", "system",      "max_tokens", "stop_sequences", "stream", "temperature",
      "top_p", "tools",    "tool_choice", "thinking",   "output_config",  "betas"};
  for (const auto& field : body) {
    const std::string_view name = field.key();
    const auto& value = field.value();
    const bool is_empty = value.is_null() || (value.is_array() && value.get_array().empty());
    if (is_empty || std::ranges::count(known, name) > 0 || std::ranges::count(without_effect, name) > 0) continue;
    return web::invalid(std::string(name.substr(0, 64)) + " is not supported");
  }
  return std::nullopt;
}

}  // namespace

web::Result<ChatRequest> parse_request(const json::object& body, bool is_count) {
  ChatRequest request;
  const auto* model = given(body, "model");
  if (!model) return web::invalid("model is required");
  auto name = web::parse_value<web::Text<1, 200>>(*model, "model");
  if (!name) return name.error();
  request.model = std::move(*name);
  if (auto problem = refuse_unknown(body)) return std::move(*problem);
  if (auto problem = read_messages(body, request)) return std::move(*problem);
  if (auto problem = read_limits(body, is_count, request)) return std::move(*problem);
  if (auto problem = read_tools(body, request)) return std::move(*problem);
  if (auto problem = read_thinking(body, request)) return std::move(*problem);
  return request;
}

}  // namespace models::messages
