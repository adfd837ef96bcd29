// The request half of anthropic_wire.h.
#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <utility>

#include "appliance/models/providers/anthropic_wire.h"
#include "appliance/models/providers/claude_rules.h"
#include "appliance/models/providers/repair.h"
#include "appliance/models/providers/wire_json.h"
#include "web/ascii.h"
#include "web/blank.h"
#include "web/json.h"

namespace models::anthropic {

namespace json = boost::json;

namespace {

constexpr std::string_view provider_name = "anthropic";

json::object text_block(std::string_view text) { return {{"type", "text"}, {"text", text}}; }

json::object source_of(const std::string& url) {
  if (const auto file = inline_image(url))
    return {{"type", "base64"}, {"media_type", file->type}, {"data", file->data}};
  return {{"type", "url"}, {"url", url}};
}

json::object part_block(const Part& part) {
  if (part.is_text()) return text_block(part.text);
  json::object block{{"type", part.is_image() ? "image" : "document"}, {"source", source_of(part.url)}};
  if (!part.is_image() && !part.name.empty()) block["title"] = part.name;
  return block;
}

// Blank text blocks are refused.
json::array part_blocks(const Message& message) {
  json::array blocks;
  if (message.parts.empty()) {
    if (!web::is_blank(message.content)) blocks.push_back(text_block(message.content));
    return blocks;
  }
  for (const auto& part : message.parts)
    if (!part.is_text() || !web::is_blank(part.text)) blocks.push_back(part_block(part));
  return blocks;
}

json::object result_block(const Message& message) {
  json::object block{{"type", "tool_result"}, {"tool_use_id", message.tool_call_id}};
  if (message.parts.empty()) {
    if (!web::is_blank(message.content)) block["content"] = message.content;
  } else {
    block["content"] = part_blocks(message);
  }
  return block;
}

// Claude takes back only what it has signed or sealed.
json::array thinking_blocks(const Message& message) {
  json::array blocks;
  for (const auto& block : message.reasoning) {
    // A client may have named another vendor's format without its provider.
    if (block.provider.empty() && !block.format.empty() && !block.format.starts_with("anthropic")) continue;
    if (!block.sealed.empty())
      blocks.push_back(json::object{{"type", "redacted_thinking"}, {"data", block.sealed}});
    else if (!block.signature.empty())
      blocks.push_back(json::object{{"type", "thinking"}, {"thinking", block.text}, {"signature", block.signature}});
  }
  return blocks;
}

json::array assistant_blocks(const Message& message, bool with_thinking) {
  auto blocks = with_thinking ? thinking_blocks(message) : json::array();
  if (!web::is_blank(message.content)) blocks.push_back(text_block(message.content));
  if (!web::is_blank(message.refusal)) blocks.push_back(text_block(message.refusal));
  for (const auto& call : message.tool_calls) {
    boost::system::error_code error;
    auto input = json::parse(call.arguments, error);
    if (error || !input.is_object()) input = json::object();
    blocks.push_back(
        json::object{{"type", "tool_use"}, {"id", call.id}, {"name", call.name}, {"input", std::move(input)}});
  }
  return blocks;
}

json::array blocks_of(const Message& message, bool with_thinking) {
  if (message.role == Role::assistant) return assistant_blocks(message, with_thinking);
  if (message.role != Role::tool) return part_blocks(message);
  json::array blocks;
  blocks.push_back(result_block(message));
  return blocks;
}

// auto, any, none or {type: tool, name}.
json::object tool_choice(const json::object& options) {
  json::object wire{{"type", "auto"}};
  if (const auto* choice = options.if_contains("tool_choice")) {
    if (const auto* word = choice->if_string()) {
      wire["type"] = *word == "required" ? json::string("any") : *word;
    } else {
      wire["type"] = "tool";
      wire["name"] = choice->at("function").at("name");
    }
  }
  const auto* parallel = options.if_contains("parallel_tool_calls");
  if (parallel && !parallel->get_bool() && wire["type"] != "none") wire["disable_parallel_tool_use"] = true;
  return wire;
}

// An answer in JSON is made by a call of a tool that has its schema.
const json::object* wanted_format(const ChatRequest& request) {
  const auto* format = web::object_member(request.options, "response_format");
  return format && web::string_member(*format, "type") != "text" ? format : nullptr;
}

json::object format_tool(const json::object& format) {
  const auto* wanted = web::object_member(format, "json_schema");
  const auto* schema = wanted ? wanted->if_contains("schema") : nullptr;
  std::string description = "Gives the answer. Call it once, with the whole answer.";
  if (wanted)
    if (const auto more = web::string_member(*wanted, "description"); !more.empty()) description += " " + more;
  auto parameters = schema ? flat_schema(*schema, description) : completed_schema(json::object());
  return {{"name", answer_tool}, {"description", description}, {"input_schema", std::move(parameters)}};
}

void add_tools(const ChatRequest& request, json::object& wire) {
  json::array tools;
  for (const auto& tool : request.tools) {
    auto description = tool.description;
    auto schema = flat_schema(tool.parameters, description);
    tools.push_back(
        json::object{{"name", tool.name}, {"description", description}, {"input_schema", std::move(schema)}});
  }
  const auto* format = wanted_format(request);
  if (format) tools.push_back(format_tool(*format));
  if (tools.empty()) return;
  wire["tools"] = std::move(tools);
  wire["tool_choice"] = tool_choice(request.options);
  if (!format) return;
  // With tools of its own the model may call those first.
  wire["tool_choice"] =
      request.tools.empty() ? json::object{{"type", "tool"}, {"name", answer_tool}} : json::object{{"type", "any"}};
}

struct Effort {
  std::string_view name;
  std::int64_t budget;  // tokens
};
constexpr std::array<Effort, 5> efforts{
    {{"minimal", 1'024}, {"low", 2'048}, {"medium", 8'192}, {"high", 16'384}, {"xhigh", 32'768}}};
constexpr std::int64_t least_budget = 1'024, least_answer = 512;

// Within a turn with calls, an answer with a budget for thinking must begin with thinking.
bool lacks_thinking(const std::vector<Message>& messages) {
  for (auto i = messages.size(); i-- > 0 && messages[i].role != Role::user;)
    if (messages[i].role == Role::assistant && !messages[i].tool_calls.empty() && thinking_blocks(messages[i]).empty())
      return true;
  return false;
}

// Fills in thinking and its effort. False: the model does not think.
bool add_thinking(const ChatRequest& request, const std::vector<Message>& messages, json::object& wire) {
  const auto generation = generation_of(request.model);
  const auto wanted = web::string_member(request.options, "reasoning_effort");
  const auto effort = std::ranges::find(efforts, wanted, &Effort::name);
  if (effort == efforts.end()) return false;
  // A forced call and thinking exclude each other.
  const auto* choice = web::object_member(wire, "tool_choice");
  const auto forced = choice ? web::string_member(*choice, "type") : std::string();
  if (forced == "any" || forced == "tool") return false;
  if (thinks_adaptively(generation)) {
    wire["thinking"] = json::object{{"type", "adaptive"}, {"display", "summarized"}};
    const auto level = wanted == "minimal" ? "low" : wanted == "xhigh" && generation < 407 ? "high" : effort->name;
    wire["output_config"] = json::object{{"effort", level}};
    return true;
  }
  const auto budget = std::min(effort->budget, *request.max_tokens - least_answer);
  if (!thinks_by_budget(generation) || budget < least_budget || lacks_thinking(messages)) return false;
  wire["thinking"] = json::object{{"type", "enabled"}, {"budget_tokens", budget}};
  return true;
}

// Newer models refuse both together, or either; thinking excludes them.
void add_sampling(const ChatRequest& request, bool thinks, json::object& wire) {
  if (thinks || refuses_sampling(generation_of(request.model))) return;
  if (request.temperature) {
    wire["temperature"] = *request.temperature;
  } else if (request.top_p) {
    wire["top_p"] = *request.top_p;
  }
}

void mark(json::array& blocks) {
  if (!blocks.empty()) blocks.back().as_object()["cache_control"] = json::object{{"type", "ephemeral"}};
}

// Tools and instructions, the conversation up to the newest message, and up to the one before it, which the last call
// has cached.
void mark_for_cache(json::object& wire) {
  if (auto* tools = wire.if_contains("tools")) mark(tools->as_array());
  if (auto* system = wire.if_contains("system")) {
    json::array blocks;
    blocks.push_back(text_block(system->as_string()));
    mark(blocks);
    wire["system"] = std::move(blocks);
  }
  auto& messages = wire["messages"].as_array();
  int marks = 2;
  for (auto i = messages.size(); i-- > 0 && marks > 0;) {
    if (messages[i].at("role") != "user") continue;
    mark(messages[i].as_object()["content"].as_array());
    --marks;
  }
}

// The end of an assistant's last message may not be blank.
void trim_last(json::array& messages) {
  if (messages.empty() || messages.back().at("role") != "assistant") return;
  auto& block = messages.back().as_object()["content"].as_array().back().as_object();
  if (block["type"] != "text") return;
  std::string_view text = block["text"].as_string();
  while (!text.empty() && web::white_space.find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  block["text"] = std::string(text);
}

}  // namespace

int generation_of(std::string_view model) {
  constexpr int unknown = 405;
  if (!model.starts_with("claude-")) return unknown;
  // claude-3-5-haiku-20241022, claude-sonnet-4-20250514, claude-opus-4-5: one or two numbers before a date.
  int numbers[2] = {-1, 0};
  int count = 0;
  for (auto rest = model; !rest.empty() && count < 2;) {
    const auto part = rest.substr(0, rest.find_first_of("-."));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    int number = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    const bool is_version = error == std::errc() && end == part.data() + part.size() && number < 100;
    if (is_version) {
      numbers[count++] = number;
    } else if (count > 0) {
      break;
    }
  }
  return numbers[0] < 0 ? unknown : numbers[0] * 100 + numbers[1];
}

std::optional<std::string> cannot(const ChatRequest& request) {
  if (are_blank(request.messages)) return "messages must have content for this model's provider";
  const auto first = std::ranges::find_if(request.messages, [](const auto& each) { return each.role != Role::system; });
  if (first != request.messages.end() && first->role == Role::assistant)
    return "messages[" + std::to_string(first - request.messages.begin()) +
           "].role must be user: with this model's provider a user speaks first";
  if (auto wrong = missing_option(
          request, {"seed", "presence_penalty", "frequency_penalty", "logit_bias", "prediction", "audio"},
          "this model's provider"))
    return wrong;
  if (request.temperature && *request.temperature > 1) return "temperature must be at most 1 for this model's provider";
  for (std::size_t i = 0; i < request.messages.size(); ++i) {
    for (const auto& part : request.messages[i].parts) {
      const auto where = "messages[" + std::to_string(i) + "].content: this model's provider takes ";
      if (part.kind == PartKind::audio) return where + "no audio";
      if (part.kind == PartKind::file && !part.url.starts_with("data:application/pdf;"))
        return where + "files of the type application/pdf only";
    }
  }
  return std::nullopt;
}

json::object to_wire(const ChatRequest& request) {
  auto conversation = request.messages;
  repair_calls(conversation);
  keep_reasoning_of(provider_name, conversation);
  std::string system;
  json::array messages;
  json::object wire{{"model", request.model}, {"max_tokens", *request.max_tokens}};
  add_tools(request, wire);
  const bool thinks = add_thinking(request, conversation, wire);
  for (const auto& message : conversation) {
    if (message.role == Role::system) {
      if (!web::is_blank(message.content)) system.append(system.empty() ? "" : "\n\n").append(message.content);
      continue;
    }
    // Turns alternate: what one side says in a row is one turn.
    const json::string role = message.role == Role::assistant ? "assistant" : "user";
    // Models ignore the thinking of earlier turns; without thinking it may not be sent.
    auto blocks = blocks_of(message, thinks || request.options.if_contains("reasoning_effort") == nullptr);
    if (blocks.empty()) continue;
    if (!messages.empty() && messages.back().at("role") == role) {
      auto& content = messages.back().as_object()["content"].as_array();
      content.insert(content.end(), blocks.begin(), blocks.end());
    } else {
      messages.push_back(json::object{{"role", role}, {"content", std::move(blocks)}});
    }
  }
  trim_last(messages);
  // The API needs a message: instructions alone are sent as one.
  if (messages.empty()) {
    json::array blocks;
    blocks.push_back(text_block(std::exchange(system, {})));
    messages.push_back(json::object{{"role", "user"}, {"content", std::move(blocks)}});
  }
  wire["messages"] = std::move(messages);
  if (!system.empty()) wire["system"] = system;
  add_sampling(request, thinks, wire);
  json::array stops;
  for (const auto& stop : request.stop)
    if (!web::is_blank(stop)) stops.push_back(json::value(stop));
  if (!stops.empty()) wire["stop_sequences"] = std::move(stops);
  if (request.is_cached) mark_for_cache(wire);
  return wire;
}

}  // namespace models::anthropic
