// What servers offer besides tools: resources, prompts, and questions to the owner.
#include <algorithm>
#include <boost/json.hpp>

#include "appliance/hosting/mcp_servers/wire.h"
#include "web/json.h"
#include "web/utf8.h"

namespace mcp_servers {

namespace json = boost::json;

namespace {

constexpr std::size_t max_items = 200, max_item_bytes = 1'000, max_questions = 5, max_retry_bytes = 64 * 1024;

json::object schema_of(json::object properties, json::array required) {
  return {{"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}};
}

RemoteTool reading(std::string name, std::string description, ToolKind kind, json::object schema) {
  return {.name = std::move(name),
          .description = std::move(description),
          .input_schema = std::move(schema),
          .is_read_only = true,
          .kind = kind};
}

// The named members of each item that are short texts, and `also`, as they are.
ToolAnswer list_in(const json::object& result, std::string_view name, std::initializer_list<const char*> members,
                   const char* also) {
  json::array items;
  const auto* list = web::array_member(result, name);
  for (std::size_t at = 0; list && at < std::min(list->size(), max_items); ++at) {
    const auto* item = (*list)[at].if_object();
    if (!item) continue;
    json::object shown;
    for (const char* member : members)
      if (const auto text = web::string_member(*item, member); !text.empty())
        shown[member] = web::utf8_prefix(text, max_item_bytes);
    if (const auto* value = item->if_contains(also)) shown[also] = *value;
    items.push_back(std::move(shown));
  }
  ToolAnswer answer{.text = json::serialize(items)};
  if (!web::string_member(result, "nextCursor").empty() || (list && list->size() > max_items))
    answer.text += "\n(there are more)";
  return answer;
}

void add_line(std::string& text, std::string_view line) {
  if (!text.empty()) text += "\n";
  text += line;
}

}  // namespace

std::vector<RemoteTool> resource_tools() {
  const json::object uri{{"type", "string"}, {"description", "As list_resources names it"}};
  return {reading("list_resources", "List the resources (documents, data) that this MCP server has.",
                  ToolKind::list_resources, schema_of({}, {})),
          reading("read_resource", "Read a resource of this MCP server.", ToolKind::read_resource,
                  schema_of({{"uri", uri}}, {"uri"}))};
}

std::vector<RemoteTool> prompt_tools() {
  const json::object name{{"type", "string"}}, values{{"type", "object"}, {"description", "Text for each argument"}};
  return {reading("list_prompts", "List the prepared prompts that this MCP server has, with their arguments.",
                  ToolKind::list_prompts, schema_of({}, {})),
          reading("get_prompt", "Get a prepared prompt of this MCP server, filled in.", ToolKind::get_prompt,
                  schema_of({{"name", name}, {"arguments", values}}, {"name"}))};
}

ToolAnswer resource_list_in(const json::object& result) {
  return list_in(result, "resources", {"uri", "name", "title", "description", "mimeType"}, "size");
}

ToolAnswer resource_in(const json::object& result) {
  ToolAnswer answer;
  const auto* contents = web::array_member(result, "contents");
  if (!contents) return answer;
  for (const auto& item : *contents) {
    const auto* content = item.if_object();
    if (!content) continue;
    if (content->contains("text")) {
      add_line(answer.text, web::string_member(*content, "text"));
    } else {
      const auto kind = web::string_member(*content, "mimeType");
      add_line(answer.text, "[" + web::string_member(*content, "uri") + (kind.empty() ? "" : ", " + kind) +
                                ", not text, not shown]");
    }
  }
  return answer;
}

ToolAnswer prompt_list_in(const json::object& result) {
  return list_in(result, "prompts", {"name", "title", "description"}, "arguments");
}

ToolAnswer prompt_in(const json::object& result) {
  ToolAnswer answer;
  const auto* messages = web::array_member(result, "messages");
  if (!messages) return answer;
  for (const auto& item : *messages) {
    const auto* message = item.if_object();
    const auto* content = message ? web::object_member(*message, "content") : nullptr;
    if (!content) continue;
    const json::object one{{"content", json::array{*content}}};
    add_line(answer.text, web::string_member(*message, "role") + ": " + answer_in(one).text);
  }
  return answer;
}

std::optional<json::object> retry_of(const json::object& result) {
  json::object retry{{"requests", json::object()}, {"responses", json::object()}};
  if (const auto* requests = web::object_member(result, "inputRequests")) {
    for (const auto& [key, request] : *requests) {
      const auto* object = request.if_object();
      if (!object || web::string_member(*object, "method") != "elicitation/create") return std::nullopt;
    }
    if (requests->size() > max_questions) return std::nullopt;
    retry["requests"] = *requests;
  }
  if (const auto* state = result.if_contains("requestState")) retry["state"] = *state;
  if (json::serialize(retry).size() > max_retry_bytes) return std::nullopt;
  return retry;
}

std::optional<Question> next_question(json::object& retry, json::object reply) {
  auto& requests = retry["requests"].as_object();
  auto& responses = retry["responses"].as_object();
  for (const auto& [key, request] : requests) {
    if (responses.contains(key)) continue;
    if (!reply.empty()) {
      responses[key] = std::move(reply);
      reply.clear();
      continue;
    }
    const auto* params = web::object_member(request.as_object(), "params");
    return Question{.params = params ? *params : json::object(), .retry = retry};
  }
  return std::nullopt;
}

void add_retry(json::object& params, const json::object& retry) {
  params["inputResponses"] = retry.at("responses");
  if (const auto* state = retry.if_contains("state"))
    params["requestState"] = *state;
  else
    params.erase("requestState");
}

}  // namespace mcp_servers
