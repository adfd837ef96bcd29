// The request half of responses_wire.h: a request becomes one of chat completions, whose checks then apply.
#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "appliance/models/client_wire.h"
#include "appliance/models/providers/openai_wire.h"
#include "appliance/models/providers/responses_reasoning.h"
#include "appliance/models/providers/responses_wire.h"
#include "web/routes/fields.h"

namespace models::responses {

namespace json = boost::json;

namespace {

using Problem = std::optional<web::Error>;

constexpr std::array<std::string_view, 3> need_a_store{"previous_response_id", "conversation", "prompt"};
// Passed on under the same name.
constexpr std::array<std::string_view, 9> same_name{
    "model", "temperature", "top_p",        "parallel_tool_calls",   "stream",
    "user",  "metadata",    "service_tier", "prompt_cache_retention"};
// They concern what the vendor keeps or shows and do not change the answer.
constexpr std::array<std::string_view, 8> without_effect{
    "store",          "include",      "truncation",    "prompt_cache_key", "safety_identifier",
    "stream_options", "top_logprobs", "max_tool_calls"};

std::string at(std::size_t index, std::string_view field = {}) {
  auto where = "input[" + std::to_string(index) + "]";
  if (!field.empty()) where.append(".").append(field);
  return where;
}

std::string_view text_of(const json::object& object, std::string_view name) {
  const auto* value = given(object, name);
  return value && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

json::object chat_text_part(std::string_view text) { return {{"type", "text"}, {"text", text}}; }

// Parts of a message or of a tool's output: text and images.
web::Result<json::value> content_of(const json::value& content, const std::string& where) {
  if (content.is_string()) return content;
  const auto* list = content.if_array();
  if (!list) return web::invalid(where + " must be a string or an array of parts");
  json::array parts;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const auto part_at = where + "[" + std::to_string(i) + "]";
    const auto* part = (*list)[i].if_object();
    const auto type = part ? text_of(*part, "type") : std::string_view();
    if (type == "input_text" || type == "output_text" || type == "text") {
      if (!part->contains("text") || !part->at("text").is_string())
        return web::invalid(part_at + ".text must be a string");
      parts.push_back(chat_text_part(text_of(*part, "text")));
    } else if (type == "refusal") {
      parts.push_back(chat_text_part(text_of(*part, "refusal")));
    } else if (type == "input_image") {
      if (text_of(*part, "image_url").empty())
        return web::invalid(part_at + ".image_url must be an https: or data:image/...;base64, address");
      json::object image{{"url", text_of(*part, "image_url")}};
      if (const auto detail = text_of(*part, "detail"); !detail.empty()) image["detail"] = detail;
      parts.push_back(json::object{{"type", "image_url"}, {"image_url", std::move(image)}});
    } else if (type == "input_file") {
      json::object file{{"file_data", text_of(*part, "file_data")}};
      if (const auto name = text_of(*part, "filename"); !name.empty()) file["filename"] = name;
      parts.push_back(json::object{{"type", "file"}, {"file", std::move(file)}});
    } else if (type == "input_audio") {
      parts.push_back(*part);
    } else {
      return web::invalid(part_at +
                          ".type must be one of: input_text, output_text, input_image, input_file, input_audio");
    }
  }
  return json::value(std::move(parts));
}

class Conversation {
 public:
  Conversation(json::array& messages, const FindItem& find) : messages_(messages), find_(find) {}

  Problem add(const json::value& value, std::size_t index) {
    const auto* item = value.if_object();
    if (!item) return web::invalid(at(index) + " must be an object");
    const auto type = text_of(*item, "type");
    if (type.empty() || type == "message") return add_message(*item, index);
    if (type == "function_call") return add_call(*item, index);
    if (type == "function_call_output") return add_output(*item, index);
    if (type == "reasoning") return add_reasoning(*item);
    if (type == "item_reference") return add_reference(*item, index);
    return web::invalid(at(index, "type") +
                        " must be one of: message, function_call, function_call_output, reasoning, " +
                        "item_reference");
  }

 private:
  Problem add_message(const json::object& item, std::size_t index) {
    const auto* content = given(item, "content");
    if (!content) return web::invalid(at(index, "content") + " is required");
    auto parts = content_of(*content, at(index, "content"));
    if (!parts) return parts.error();
    const auto role = text_of(item, "role");
    // The text after the reasoning of the same message.
    if (role == "assistant" && !messages_.empty()) {
      auto& last = messages_.back().as_object();
      if (text_of(last, "role") == role && last["content"].is_null() && last["tool_calls"].as_array().empty()) {
        last["content"] = std::move(*parts);
        return std::nullopt;
      }
    }
    messages_.push_back(json::object{{"role", role}, {"content", std::move(*parts)}});
    return std::nullopt;
  }

  Problem add_reasoning(const json::object& item) {
    auto parsed = parse_reasoning_item(item);
    if (!parsed) return std::nullopt;  // sealed by another vendor for its own models
    if (parsed->detail) {
      auto& message = assistant();
      if (!message.contains("reasoning_details")) message["reasoning_details"] = json::array();
      message["reasoning_details"].as_array().push_back(std::move(*parsed->detail));
      return std::nullopt;
    }
    for (auto& message : messages_) {
      auto* calls = message.as_object().if_contains("tool_calls");
      for (auto& call : calls ? calls->as_array() : none_)
        if (text_of(call.as_object(), "id") == parsed->call_id)
          call.as_object()["extra_content"] = parsed->extra_content;
    }
    return std::nullopt;
  }

  Problem add_reference(const json::object& item, std::size_t index) {
    const auto found = find_(text_of(item, "id"));
    if (!found)
      return web::invalid(at(index, "id") +
                          " is not an item of a recent response: send the whole item, with store: false");
    return add(json::value(*found), index);
  }

  Problem add_call(const json::object& item, std::size_t index) {
    const auto id = text_of(item, "call_id"), name = text_of(item, "name");
    if (id.empty()) return web::invalid(at(index, "call_id") + " must be a string");
    if (name.empty()) return web::invalid(at(index, "name") + " must be a string");
    const auto* arguments = given(item, "arguments");
    if (!arguments || !arguments->is_string()) return web::invalid(at(index, "arguments") + " must be a string");
    json::object call{{"id", id}, {"type", "function"}, {"function", {{"name", name}, {"arguments", *arguments}}}};
    assistant()["tool_calls"].as_array().push_back(std::move(call));
    return std::nullopt;
  }

  Problem add_output(const json::object& item, std::size_t index) {
    const auto id = text_of(item, "call_id");
    if (id.empty()) return web::invalid(at(index, "call_id") + " must be a string");
    const auto* output = given(item, "output");
    if (!output) return web::invalid(at(index, "output") + " is required");
    auto content = content_of(*output, at(index, "output"));
    if (!content) return content.error();
    messages_.push_back(json::object{{"role", "tool"}, {"tool_call_id", id}, {"content", std::move(*content)}});
    return std::nullopt;
  }

  // The message that calls belong to: the one before, if it is the assistant's.
  json::object& assistant() {
    const bool is_open = !messages_.empty() && text_of(messages_.back().as_object(), "role") == "assistant";
    if (!is_open) messages_.push_back(json::object{{"role", "assistant"}, {"content", nullptr}});
    auto& message = messages_.back().as_object();
    if (!message.contains("tool_calls")) message["tool_calls"] = json::array();
    return message;
  }

  json::array& messages_;
  const FindItem& find_;
  json::array none_;
};

Problem add_input(const json::object& body, const FindItem& find, json::array& messages) {
  if (const auto* instructions = given(body, "instructions")) {
    auto text = web::parse_value<web::Prose<0, max_instructions>>(*instructions, "instructions");
    if (!text) return text.error();
    if (!text->empty()) messages.push_back(json::object{{"role", "system"}, {"content", *instructions}});
  }
  const auto* input = given(body, "input");
  if (!input) return web::invalid("input is required");
  if (input->is_string()) {
    messages.push_back(json::object{{"role", "user"}, {"content", *input}});
    return std::nullopt;
  }
  const auto* items = input->if_array();
  if (!items || items->empty()) return web::invalid("input must be a string or a non-empty array");
  if (items->size() > openai::max_messages) return web::invalid("input must have at most 2000 items");
  Conversation conversation(messages, find);
  for (std::size_t i = 0; i < items->size(); ++i)
    if (auto problem = conversation.add((*items)[i], i)) return problem;
  return std::nullopt;
}

// {type: function, name, ...} as chat completions have it: {type: function, function: {name, ...}}.
Problem add_tools(const json::object& body, json::object& chat) {
  if (const auto* tools = given(body, "tools")) {
    const auto* list = tools->if_array();
    if (!list) return web::invalid("tools must be an array");
    json::array kept;
    for (std::size_t i = 0; i < list->size(); ++i) {
      const auto* tool = (*list)[i].if_object();
      const auto type = tool ? text_of(*tool, "type") : std::string_view();
      if (type != "function")
        return web::invalid("tools[" + std::to_string(i) + "].type must be function" +
                            (type.empty() ? "" : ": the box has no built-in tool " + std::string(type.substr(0, 64))));
      auto function = *tool;
      function.erase("type");
      kept.push_back(json::object{{"type", "function"}, {"function", std::move(function)}});
    }
    if (!kept.empty()) chat["tools"] = std::move(kept);
  }
  const auto* choice = given(body, "tool_choice");
  if (!choice) return std::nullopt;
  if (const auto* object = choice->if_object()) {
    if (text_of(*object, "type") != "function") return web::invalid("tool_choice.type must be function");
    chat["tool_choice"] =
        json::object{{"type", "function"}, {"function", json::object{{"name", text_of(*object, "name")}}}};
  } else if (chat.contains("tools")) {
    chat["tool_choice"] = *choice;
  }
  return std::nullopt;
}

Problem add_format(const json::object& body, json::object& chat) {
  const auto* text = given(body, "text");
  if (!text) return std::nullopt;
  const auto* object = text->if_object();
  if (!object) return web::invalid("text must be an object");
  if (const auto* verbosity = given(*object, "verbosity")) chat["verbosity"] = *verbosity;
  const auto* format = given(*object, "format");
  if (!format) return std::nullopt;
  const auto* form = format->if_object();
  const auto type = form ? text_of(*form, "type") : std::string_view();
  if (type == "json_schema") {
    auto schema = *form;
    schema.erase("type");
    chat["response_format"] = json::object{{"type", "json_schema"}, {"json_schema", std::move(schema)}};
  } else if (type == "json_object") {
    chat["response_format"] = *format;
  } else if (type != "text") {
    return web::invalid("text.format.type must be one of: text, json_object, json_schema");
  }
  return std::nullopt;
}

Problem add_rest(const json::object& body, json::object& chat) {
  for (const auto& field : body) {
    const std::string_view name = field.key();
    const auto& value = field.value();
    if (value.is_null() || std::ranges::count(without_effect, name) > 0) continue;
    if (std::ranges::count(same_name, name) > 0) {
      chat[name] = value;
    } else if (name == "max_output_tokens") {
      chat["max_tokens"] = value;
    } else if (name == "reasoning") {
      const auto* reasoning = value.if_object();
      if (!reasoning) return web::invalid("reasoning must be an object");
      if (const auto* effort = given(*reasoning, "effort")) chat["reasoning_effort"] = *effort;
    } else if (name == "background") {
      if (value != false) return web::invalid("background is not supported: responses are not stored");
    } else if (std::ranges::count(need_a_store, name) > 0) {
      return web::invalid(std::string(name) + " is not supported: responses are not stored, send the whole input");
    } else if (name != "input" && name != "instructions" && name != "tools" && name != "tool_choice" &&
               name != "text") {
      return web::invalid(std::string(name.substr(0, 64)) + " is not supported");
    }
  }
  return std::nullopt;
}

// Fields have other names here.
web::Error renamed(web::Error error) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> names{
      {{"messages", "input"},
       {"max_tokens", "max_output_tokens"},
       {"reasoning_effort", "reasoning.effort"},
       {"response_format", "text.format"}}};
  for (const auto& [theirs, ours] : names)
    if (error.message.starts_with(theirs)) error.message.replace(0, theirs.size(), ours);
  return error;
}

Echo echo_of(const json::object& body) {
  Echo echo;
  const auto or_else = [&](std::string_view name, json::value otherwise) {
    if (const auto* value = given(body, name))
      echo.members[name] = *value;
    else
      echo.members[name] = std::move(otherwise);
  };
  or_else("instructions", nullptr);
  or_else("max_output_tokens", nullptr);
  or_else("metadata", json::object());
  or_else("parallel_tool_calls", true);
  or_else("reasoning", json::object{{"effort", nullptr}, {"summary", nullptr}});
  or_else("temperature", 1.0);
  or_else("text", json::object{{"format", json::object{{"type", "text"}}}});
  or_else("tool_choice", "auto");
  or_else("tools", json::array());
  or_else("top_p", 1.0);
  or_else("truncation", "disabled");
  or_else("user", nullptr);
  echo.members["store"] = false;
  echo.members["previous_response_id"] = nullptr;
  return echo;
}

}  // namespace

web::Result<Parsed> parse_request(json::object body, const FindItem& find) {
  json::object chat;
  json::array messages;
  if (auto problem = add_input(body, find, messages)) return std::move(*problem);
  chat["messages"] = std::move(messages);
  if (auto problem = add_tools(body, chat)) return std::move(*problem);
  if (auto problem = add_format(body, chat)) return std::move(*problem);
  if (auto problem = add_rest(body, chat)) return std::move(*problem);
  auto request = openai::parse_request(json::value(std::move(chat)));
  if (!request) return renamed(request.error());
  return Parsed{.request = std::move(*request), .echo = echo_of(body)};
}

}  // namespace models::responses
