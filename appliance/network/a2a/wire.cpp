#include "appliance/network/a2a/wire.h"

#include <algorithm>
#include <boost/json.hpp>

#include "web/routes/fields.h"
#include "web/routes/reply.h"

namespace a2a {

namespace {

namespace json = boost::json;

constexpr std::size_t max_parts = 50, max_text_bytes = 64 * 1024;
constexpr auto artifact_id = "answer";

struct MessageFields {
  web::Text<1, 256> messageId;
  std::optional<web::Text<1, 256>> contextId, taskId;
  web::List<json::object, 1, max_parts> parts;
};
BOOST_DESCRIBE_STRUCT(MessageFields, (), (messageId, contextId, taskId, parts))

struct ParamsFields {
  json::object message;
};
BOOST_DESCRIBE_STRUCT(ParamsFields, (), (message))

json::object text_part(std::string_view text, Version version) {
  json::object part;
  part["text"] = text;
  if (version == Version::legacy) part["kind"] = "text";
  return part;
}

// The same part in the form of 1.0; nothing for a file.
std::optional<json::object> part_of(const json::object& given) {
  json::object part;
  if (const auto* text = given.if_contains("text"); text && text->is_string())
    part["text"] = *text;
  else if (const auto* data = given.if_contains("data"))
    part["data"] = *data;
  else
    return std::nullopt;
  return part;
}

std::string text_of(const json::object& part) {
  const auto* text = part.if_contains("text");
  return text ? std::string(text->get_string()) : json::serialize(part.at("data"));
}

json::object legacy_message(const Task& task) {
  auto message = task.message;
  message["kind"] = "message";
  message["role"] = "user";
  json::array parts;
  for (const auto& part : task.message.at("parts").as_array()) {
    auto copy = part.as_object();
    copy["kind"] = copy.contains("text") ? "text" : "data";
    parts.push_back(std::move(copy));
  }
  message["parts"] = std::move(parts);
  return message;
}

json::object status_json(const Task& task, Version version) {
  json::object status{{"state", state_name(task.state, version)}, {"timestamp", web::iso8601(task.updated_at)}};
  if (task.failure.empty()) return status;
  json::array parts;
  parts.push_back(text_part(task.failure, version));
  json::object message{{"messageId", task.id + ".failure"}, {"contextId", task.context}, {"taskId", task.id}};
  message["role"] = version == Version::v1 ? "ROLE_AGENT" : "agent";
  if (version == Version::legacy) message["kind"] = "message";
  message["parts"] = std::move(parts);
  status["message"] = std::move(message);
  return status;
}

json::object artifact_json(std::string_view text, Version version) {
  json::array parts;
  parts.push_back(text_part(text, version));
  json::object artifact;
  artifact["artifactId"] = artifact_id;
  artifact["name"] = artifact_id;
  artifact["parts"] = std::move(parts);
  return artifact;
}

// An event about a task: {"statusUpdate": {...}}, or with a `kind` before 1.0.
json::object event_of(const Task& task, Version version, const char* name, const char* legacy_kind,
                      json::object event) {
  event["taskId"] = task.id;
  event["contextId"] = task.context;
  if (version == Version::legacy) {
    event["kind"] = legacy_kind;
    return event;
  }
  json::object named;
  named[name] = std::move(event);
  return named;
}

}  // namespace

std::string state_name(State state, Version version) {
  std::string name = boost::describe::enum_to_string(state, "");
  if (version == Version::legacy) return name;
  std::ranges::transform(name, name.begin(), [](char letter) { return static_cast<char>(letter - 'a' + 'A'); });
  return "TASK_STATE_" + name;
}

std::optional<State> state_named(std::string_view name, Version version) {
  for (const auto state : {State::submitted, State::working, State::completed, State::failed, State::canceled})
    if (state_name(state, version) == name) return state;
  return std::nullopt;
}

web::Result<ReceivedMessage> read_message(const json::object& params) {
  const auto outer = web::parse_value<ParamsFields>(params, "params");
  if (!outer) return outer.error();
  auto fields = web::parse_value<MessageFields>(outer->message, "params.message");
  if (!fields) return fields.error();
  ReceivedMessage received;
  json::array parts;
  for (const auto& given : fields->parts) {
    auto part = part_of(given);
    if (!part) return web::invalid("params.message.parts may only have text and data");
    received.text.append(received.text.empty() ? "" : "\n").append(text_of(*part));
    parts.push_back(std::move(*part));
  }
  if (received.text.size() > max_text_bytes) return web::invalid("params.message.parts must be at most 64 KB of text");
  if (received.text.empty()) return web::invalid("params.message.parts must have text");
  if (fields->contextId) received.context = std::move(*fields->contextId);
  if (fields->taskId) received.task = std::move(*fields->taskId);
  received.message["messageId"] = std::string(fields->messageId);
  received.message["role"] = "ROLE_USER";
  received.message["parts"] = std::move(parts);
  return received;
}

json::object task_json(const Task& task, Version version, bool history, bool artifacts) {
  json::object shown{{"id", task.id}, {"contextId", task.context}};
  if (version == Version::legacy) shown["kind"] = "task";
  shown["status"] = status_json(task, version);
  if (artifacts && !task.answer.empty()) {
    json::array list;
    list.push_back(artifact_json(task.answer, version));
    shown["artifacts"] = std::move(list);
  }
  if (history) {
    auto message = version == Version::legacy ? legacy_message(task) : task.message;
    message["taskId"] = task.id;
    message["contextId"] = task.context;
    json::array list;
    list.push_back(std::move(message));
    shown["history"] = std::move(list);
  }
  return shown;
}

json::object artifact_event(const Task& task, Version version, std::string piece, bool is_first) {
  json::object event;
  event["artifact"] = artifact_json(piece, version);
  if (!is_first) event["append"] = true;
  return event_of(task, version, "artifactUpdate", "artifact-update", std::move(event));
}

json::object status_event(const Task& task, Version version) {
  json::object event;
  event["status"] = status_json(task, version);
  if (version == Version::legacy) event["final"] = is_final(task.state);
  return event_of(task, version, "statusUpdate", "status-update", std::move(event));
}

}  // namespace a2a
