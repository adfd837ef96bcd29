#include "appliance/box/agent_transfer/carried.h"

#include "appliance/foundation/settings/settings.h"
#include "appliance/foundation/timestamp.h"
#include "web/routes/fields.h"

namespace agent_transfer {

namespace {

namespace json = boost::json;

[[noreturn]] void refuse(const std::string& what) { throw agentbox::UsageError("the pack's " + what + " is invalid"); }

json::object object_in(std::string_view text, const std::string& what) {
  boost::system::error_code malformed;
  auto value = json::parse(text, malformed);
  if (malformed || !value.is_object()) refuse(what);
  return std::move(value.get_object());
}

std::string text_in(const json::object& object, std::string_view name, const std::string& what) {
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
  if (!boost::describe::enum_from_string(text_in(object, name, what).c_str(), choice)) refuse(what);
  return choice;
}

CarriedSchedule schedule_of(const json::value& value) {
  const std::string what(schedules_name);
  if (!value.is_object()) refuse(what);
  const auto& object = value.get_object();
  CarriedSchedule schedule{.name = text_in(object, "name", what),
                           .cronSchedule = text_in(object, "cronSchedule", what),
                           .timezone = text_in(object, "timezone", what),
                           .prompt = text_in(object, "prompt", what),
                           .description = {},
                           .enabled = flag_in(object, "enabled", what),
                           .catchUp = choice_in<schedule::CatchUp>(object, "catchUp", what),
                           .overlap = choice_in<schedule::Overlap>(object, "overlap", what)};
  if (const auto* text = object.if_contains("description"); text && text->is_string())
    schedule.description = std::string(text->get_string());
  return schedule;
}

CarriedMessage message_of(std::string_view line) {
  const std::string what = "conversation";
  const auto object = object_in(line, what);
  const auto at = agentbox::parse_timestamp(text_in(object, "createdAt", what));
  if (!at) refuse(what);
  return {.role = choice_in<chat::Role>(object, "role", what),
          .content = text_in(object, "content", what),
          .model = text_in(object, "model", what),
          .delivery = choice_in<chat::Delivery>(object, "delivery", what),
          .failure = text_in(object, "failure", what),
          .isStopped = flag_in(object, "isStopped", what),
          .createdAt = *at};
}

}  // namespace

CarriedAgent carried(const agents::Agent& agent) {
  CarriedAgent result{.id = agent.id,
                      .name = agent.name,
                      .model = agent.model,
                      .plan = agent.plan,
                      .tier = agent.tier,
                      .config = agent.config,
                      .secrets = {}};
  if (!agent.config_secrets.clear.empty())
    for (const auto& secret : object_in(agent.config_secrets.clear, "config"))
      result.secrets.emplace_back(secret.key());
  return result;
}

CarriedSchedule carried(const schedule::Task& task) {
  return {.name = task.name,
          .cronSchedule = task.cron_schedule,
          .timezone = task.timezone,
          .prompt = task.prompt,
          .description = task.description,
          .enabled = task.enabled,
          .catchUp = task.catch_up,
          .overlap = task.overlap};
}

CarriedMessage carried(const chat::Message& message) {
  return {.role = message.role,
          .content = message.content,
          .model = message.model,
          .delivery = message.delivery,
          .failure = message.failure,
          .isStopped = message.is_stopped,
          .createdAt = message.created_at};
}

CarriedAgent read_agent(std::string_view text) {
  const std::string what(agent_name);
  auto object = object_in(text, what);
  CarriedAgent agent{.id = text_in(object, "id", what),
                     .name = text_in(object, "name", what),
                     .model = text_in(object, "model", what),
                     .plan = text_in(object, "plan", what),
                     .tier = text_in(object, "tier", what),
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

std::vector<CarriedSchedule> read_schedules(std::string_view text) {
  boost::system::error_code malformed;
  const auto value = json::parse(text, malformed);
  if (malformed || !value.is_array()) refuse(std::string(schedules_name));
  std::vector<CarriedSchedule> schedules;
  for (const auto& one : value.get_array()) schedules.push_back(schedule_of(one));
  return schedules;
}

std::vector<CarriedMessage> read_messages(std::string_view lines) {
  std::vector<CarriedMessage> messages;
  while (!lines.empty()) {
    const auto end = lines.find('\n');
    messages.push_back(message_of(lines.substr(0, end)));
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
  }
  return messages;
}

}  // namespace agent_transfer
