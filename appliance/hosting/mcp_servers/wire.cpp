#include "appliance/hosting/mcp_servers/wire.h"

#include <boost/json.hpp>

#include "appliance/models/builtin/extract.h"
#include "web/routes/fields.h"

namespace mcp_servers {

namespace json = boost::json;

namespace {

constexpr std::size_t most_name_bytes = 128, most_description_bytes = 2'000, most_schema_bytes = 32 * 1024;

std::optional<json::object> message_of(std::string_view text, std::int64_t id) {
  auto value = web::parse_json(text, "answer");
  if (!value || !value->is_object()) return std::nullopt;
  auto& message = value->get_object();
  const auto* its_id = message.if_contains("id");
  const bool answers = message.contains("result") || message.contains("error");
  // Errors about a request that could not be read have no id.
  const bool is_its = its_id && (*its_id == id || (its_id->is_null() && message.contains("error")));
  if (!answers || (its_id && !is_its) || (!its_id && !message.contains("error"))) return std::nullopt;
  return std::move(message);
}

std::string text_member(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

// Images, sounds and resources: what they are.
std::string described(const json::object& item, std::string_view type) {
  if (type == "resource") {
    const auto* resource = item.if_contains("resource");
    if (resource && resource->is_object()) {
      if (auto text = text_member(resource->get_object(), "text"); !text.empty()) return text;
      return "[resource " + text_member(resource->get_object(), "uri") + "]";
    }
  }
  if (type == "resource_link") return "[" + text_member(item, "name") + ": " + text_member(item, "uri") + "]";
  const auto kind = text_member(item, "mimeType");
  return "[" + std::string(type) + (kind.empty() ? "" : ", " + kind) + ", not shown]";
}

}  // namespace

AnswerReader::AnswerReader(std::int64_t id)
    : id_(id), events_([this](std::string_view, std::string_view data) {
        answer_ = message_of(data, id_);
        return !answer_;
      }) {}

void AnswerReader::set_content_type(std::string_view type) { is_events_ = type.starts_with("text/event-stream"); }

bool AnswerReader::feed(std::string_view bytes) {
  if (is_events_) return events_.feed(bytes);
  body_.append(bytes);
  return true;
}

std::optional<json::object> AnswerReader::take() {
  if (!is_events_) answer_ = message_of(body_, id_);
  return std::move(answer_);
}

std::vector<RemoteTool> tools_in(const json::object& result) {
  std::vector<RemoteTool> tools;
  const auto* list = result.if_contains("tools");
  if (!list || !list->is_array()) return tools;
  for (const auto& item : list->get_array()) {
    const auto* tool = item.if_object();
    if (!tool) continue;
    const auto* schema = tool->if_contains("inputSchema");
    auto name = text_member(*tool, "name");
    if (name.empty() || name.size() > most_name_bytes || !schema || !schema->is_object()) continue;
    if (json::serialize(*schema).size() > most_schema_bytes) continue;
    auto description = text_member(*tool, "description");
    if (description.empty()) description = text_member(*tool, "title");
    tools.push_back({.name = std::move(name),
                     .description = std::string(models::cut(description, most_description_bytes)),
                     .input_schema = schema->get_object()});
  }
  return tools;
}

ToolAnswer answer_in(const json::object& result) {
  ToolAnswer answer;
  const auto* is_error = result.if_contains("isError");
  answer.is_error = is_error && is_error->is_bool() && is_error->get_bool();
  if (const auto* structured = result.if_contains("structuredContent")) answer.structured = *structured;
  const auto* content = result.if_contains("content");
  if (!content || !content->is_array()) return answer;
  for (const auto& item : content->get_array()) {
    const auto* part = item.if_object();
    if (!part) continue;
    const auto type = text_member(*part, "type");
    if (!answer.text.empty()) answer.text += "\n";
    answer.text += type == "text" ? text_member(*part, "text") : described(*part, type);
  }
  return answer;
}

}  // namespace mcp_servers
