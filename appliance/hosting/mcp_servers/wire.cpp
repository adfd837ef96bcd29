#include "appliance/hosting/mcp_servers/wire.h"

#include <algorithm>
#include <boost/json.hpp>

#include "appliance/foundation/crypto/base64.h"
#include "web/json.h"
#include "web/routes/fields.h"
#include "web/utf8.h"

namespace mcp_servers {

namespace json = boost::json;

namespace {

constexpr std::size_t max_name_bytes = 128, max_description_bytes = 2'000, max_schema_bytes = 32 * 1024;

// Whether the message answers the request with this id.
bool is_answer(const json::object& message, std::int64_t id) {
  const auto* its_id = message.if_contains("id");
  const bool answers = message.contains("result") || message.contains("error");
  // Errors about a request that could not be read have no id.
  const bool is_its = its_id && (*its_id == id || (its_id->is_null() && message.contains("error")));
  return answers && (its_id ? is_its : message.contains("error"));
}

// Images, sounds and resources: what they are.
std::string described(const json::object& item, std::string_view type) {
  if (type == "resource") {
    const auto* resource = item.if_contains("resource");
    if (resource && resource->is_object()) {
      if (auto text = web::string_member(resource->get_object(), "text"); !text.empty()) return text;
      return "[resource " + web::string_member(resource->get_object(), "uri") + "]";
    }
  }
  if (type == "resource_link")
    return "[" + web::string_member(item, "name") + ": " + web::string_member(item, "uri") + "]";
  const auto kind = web::string_member(item, "mimeType");
  return "[" + std::string(type) + (kind.empty() ? "" : ", " + kind) + ", not shown]";
}

}  // namespace

std::string header_value(std::string_view value) {
  const bool is_plain = !value.empty() && value.front() != ' ' && value.back() != ' ' &&
                        !value.starts_with("=?base64?") &&
                        std::ranges::all_of(value, [](char c) { return c >= ' ' && c <= '~'; });
  if (is_plain) return std::string(value);
  return "=?base64?" + crypto::to_base64(value) + "?=";
}

AnswerReader::AnswerReader(std::int64_t id, Other other)
    : id_(id), other_(std::move(other)), events_([this](std::string_view, std::string_view data) {
        auto value = web::parse_json(data, "answer");
        auto* message = value ? value->if_object() : nullptr;
        if (!message) return true;
        if (is_answer(*message, id_))
          answer_ = std::move(*message);
        else if (other_ && message->contains("method"))
          other_(std::move(*message));
        return !answer_;
      }) {}

void AnswerReader::set_content_type(std::string_view type) { is_events_ = type.starts_with("text/event-stream"); }

bool AnswerReader::feed(std::string_view bytes) {
  if (is_events_) return events_.feed(bytes);
  body_.append(bytes);
  return true;
}

std::optional<json::object> AnswerReader::take() {
  if (is_events_) return std::move(answer_);
  auto value = web::parse_json(body_, "answer");
  auto* message = value ? value->if_object() : nullptr;
  if (message && is_answer(*message, id_)) answer_ = std::move(*message);
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
    auto name = web::string_member(*tool, "name");
    if (name.empty() || name.size() > max_name_bytes || !schema || !schema->is_object()) continue;
    if (json::serialize(*schema).size() > max_schema_bytes) continue;
    auto description = web::string_member(*tool, "description");
    if (description.empty()) description = web::string_member(*tool, "title");
    const auto* annotations = tool->if_contains("annotations");
    const auto* hint =
        annotations && annotations->is_object() ? annotations->get_object().if_contains("readOnlyHint") : nullptr;
    tools.push_back({.name = std::move(name),
                     .description = std::string(web::utf8_prefix(description, max_description_bytes)),
                     .input_schema = schema->get_object(),
                     .is_read_only = hint && hint->is_bool() && hint->get_bool()});
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
    const auto type = web::string_member(*part, "type");
    if (!answer.text.empty()) answer.text += "\n";
    answer.text += type == "text" ? web::string_member(*part, "text") : described(*part, type);
  }
  return answer;
}

}  // namespace mcp_servers
