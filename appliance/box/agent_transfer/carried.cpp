#include "appliance/box/agent_transfer/carried.h"

#include "appliance/foundation/settings/settings.h"
#include "appliance/foundation/timestamp.h"
#include "web/routes/fields.h"

namespace agent_transfer {

namespace {

namespace json = boost::json;

[[noreturn]] void refuse(const std::string& what) { throw agentbox::UsageError("the pack's " + what + " is invalid"); }

json::object required_object(std::string_view text, const std::string& what) {
  boost::system::error_code malformed;
  auto value = json::parse(text, malformed);
  if (malformed || !value.is_object()) refuse(what);
  return std::move(value.get_object());
}

std::string required_text(const json::object& object, std::string_view name, const std::string& what) {
  const auto* found = object.if_contains(name);
  if (!found || !found->is_string()) refuse(what);
  return std::string(found->get_string());
}

bool flag_in(const json::object& object, std::string_view name, const std::string& what) {
  const auto* found = object.if_contains(name);
  if (!found || !found->is_bool()) refuse(what);
  return found->get_bool();
}

template <class Enum>
Enum choice_in(const json::object& object, std::string_view name, const std::string& what) {
  Enum choice{};
  if (!boost::describe::enum_from_string(required_text(object, name, what).c_str(), choice)) refuse(what);
  return choice;
}

ExportedSchedule schedule_of(const json::value& value) {
  const std::string what(schedules_name);
  if (!value.is_object()) refuse(what);
  const auto& object = value.get_object();
  ExportedSchedule schedule{.name = required_text(object, "name", what),
                            .cronSchedule = required_text(object, "cronSchedule", what),
                            .timezone = required_text(object, "timezone", what),
                            .prompt = required_text(object, "prompt", what),
                            .description = {},
                            .enabled = flag_in(object, "enabled", what),
                            .catchUp = choice_in<schedule::CatchUp>(object, "catchUp", what),
                            .overlap = choice_in<schedule::Overlap>(object, "overlap", what)};
  if (const auto* text = object.if_contains("description"); text && text->is_string())
    schedule.description = std::string(text->get_string());
  return schedule;
}

ExportedMessage message_of(std::string_view line) {
  const std::string what = "conversation";
  const auto object = required_object(line, what);
  const auto at = agentbox::parse_timestamp(required_text(object, "createdAt", what));
  if (!at) refuse(what);
  return {
      .role = choice_in<chat::Role>(object, "role", what),
      .content = required_text(object, "content", what),
      .model = required_text(object, "model", what),
      .delivery = choice_in<chat::Delivery>(object, "delivery", what),
      .failure = required_text(object, "failure", what),
      .isStopped = flag_in(object, "isStopped", what),
      .createdAt = *at,
      .conversation = object.contains("conversation") ? required_text(object, "conversation", what) : std::string()};
}

store::Time time_in(const json::object& object, std::string_view name, const std::string& what) {
  const auto at = agentbox::parse_timestamp(required_text(object, name, what));
  if (!at) refuse(what);
  return *at;
}

ExportedConversation conversation_in(const json::value& value) {
  const std::string what(conversations_name);
  if (!value.is_object()) refuse(what);
  const auto& object = value.get_object();
  return {.id = required_text(object, "id", what),
          .channel = choice_in<chat::Channel>(object, "channel", what),
          .audience = choice_in<chat::Audience>(object, "audience", what),
          .peer = required_text(object, "peer", what),
          .title = required_text(object, "title", what),
          .isArchived = flag_in(object, "isArchived", what),
          .isPinned = flag_in(object, "isPinned", what),
          .createdAt = time_in(object, "createdAt", what),
          .lastAt = time_in(object, "lastAt", what)};
}

}  // namespace

ExportedAgent carried(const agents::Agent& agent) {
  ExportedAgent result{.id = agent.id,
                       .name = agent.name,
                       .model = agent.model,
                       .plan = agent.plan,
                       .tier = agent.tier,
                       .config = agent.config,
                       .secrets = {}};
  if (!agent.config_secrets.clear.empty())
    for (const auto& secret : required_object(agent.config_secrets.clear, "config"))
      result.secrets.emplace_back(secret.key());
  return result;
}

ExportedSchedule carried(const schedule::Task& task) {
  return {.name = task.name,
          .cronSchedule = task.cron_schedule,
          .timezone = task.timezone,
          .prompt = task.prompt,
          .description = task.description,
          .enabled = task.enabled,
          .catchUp = task.catch_up,
          .overlap = task.overlap};
}

ExportedMessage carried(const chat::Message& message) {
  return {
      .role = message.role,
      .content = message.content,
      .model = message.model,
      .delivery = message.delivery,
      .failure = message.failure,
      .isStopped = message.is_stopped,
      .createdAt = message.created_at,
      .conversation = message.conversation == chat::first_conversation_id(message.agent) ? "" : message.conversation};
}

ExportedConversation carried(const chat::Conversation& one) {
  return {.id = one.id,
          .channel = one.channel,
          .audience = one.audience,
          .peer = one.peer,
          .title = one.title,
          .isArchived = one.is_archived,
          .isPinned = one.is_pinned,
          .createdAt = one.created_at,
          .lastAt = one.last_at};
}

ExportedAgent read_agent(std::string_view text) {
  const std::string what(agent_name);
  auto object = required_object(text, what);
  ExportedAgent agent{.id = required_text(object, "id", what),
                      .name = required_text(object, "name", what),
                      .model = required_text(object, "model", what),
                      .plan = required_text(object, "plan", what),
                      .tier = required_text(object, "tier", what),
                      .config = {},
                      .secrets = {}};
  const auto* config = object.if_contains("config");
  const auto* secrets = object.if_contains("secrets");
  if (!config || !config->is_object() || !secrets || !secrets->is_array()) refuse(what);
  agent.config = config->get_object();
  for (const auto& secret : secrets->get_array()) {
    if (!secret.is_string()) refuse(what);
    agent.secrets.emplace_back(secret.get_string());
  }
  return agent;
}

std::vector<ExportedSchedule> read_schedules(std::string_view text) {
  boost::system::error_code malformed;
  const auto value = json::parse(text, malformed);
  if (malformed || !value.is_array()) refuse(std::string(schedules_name));
  std::vector<ExportedSchedule> schedules;
  for (const auto& one : value.get_array()) schedules.push_back(schedule_of(one));
  return schedules;
}

std::vector<ExportedConversation> read_conversations(std::string_view text) {
  boost::system::error_code malformed;
  const auto value = json::parse(text, malformed);
  if (malformed || !value.is_array()) refuse(std::string(conversations_name));
  std::vector<ExportedConversation> conversations;
  for (const auto& one : value.get_array()) conversations.push_back(conversation_in(one));
  return conversations;
}

std::vector<ExportedMessage> read_messages(std::string_view lines) {
  std::vector<ExportedMessage> messages;
  while (!lines.empty()) {
    const auto end = lines.find('\n');
    messages.push_back(message_of(lines.substr(0, end)));
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
  }
  return messages;
}

}  // namespace agent_transfer
