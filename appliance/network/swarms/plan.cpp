#include "appliance/network/swarms/plan.h"

#include <algorithm>

#include "appliance/hosting/agents/config_check.h"
#include "web/routes/fields.h"
#include "web/utf8.h"

namespace swarms {

namespace {

constexpr std::size_t max_message_bytes = 30'000, max_goal_bytes = 8'000, max_instruction_bytes = 240;

struct PlannedTask {
  web::Text<1, 128> agent;
  web::Prose<1, 8'000> task;
  std::optional<web::List<web::Integer<1, max_tasks>, 0, max_tasks>> after;
};
BOOST_DESCRIBE_STRUCT(PlannedTask, (), (agent, task, after))

struct Plan {
  web::List<PlannedTask, 1, max_tasks> tasks;
};
BOOST_DESCRIBE_STRUCT(Plan, (), (tasks))

std::string member_name(std::string_view id, const std::vector<agents::Agent>& members) {
  const auto found = std::ranges::find(members, id, &agents::Agent::id);
  return found == members.end() || found->name.empty() ? std::string(id) : found->name;
}

std::string described(const agents::Agent& agent) {
  auto line = "- " + agent.id + ": " + (agent.name.empty() ? "an agent" : agent.name);
  if (agent.descent && agent.descent->specialization != agents::unspecialized)
    line += ", specialized in " + agent.descent->specialization;
  auto instructions =
      std::string(web::utf8_prefix(agents::profile_of(agent.config).instructions, max_instruction_bytes));
  std::ranges::replace(instructions, '\n', ' ');
  if (!instructions.empty()) line += ". Its instructions: " + instructions;
  return line + "\n";
}

// An id, or a name that only one member has.
const agents::Agent* member_named(std::string_view name, const std::vector<agents::Agent>& members) {
  const agents::Agent* found = nullptr;
  for (const auto& member : members) {
    if (member.id == name) return &member;
    if (member.name != name) continue;
    if (found) return nullptr;
    found = &member;
  }
  return found;
}

std::string answer_of(const Task& task) {
  switch (task.state) {
    case TaskState::done:
      return task.answer;
    case TaskState::failed:
      return "(No answer: " + task.error + ")";
    default:
      return "(No answer: it was not finished)";
  }
}

// `parts` share what `budget` leaves, so that none crowds out the others.
std::string cut_to_share(const std::string& text, std::size_t budget, std::size_t parts) {
  const auto share = budget / std::max<std::size_t>(parts, 1);
  return text.size() <= share ? text : std::string(web::utf8_prefix(text, share)) + " (cut off)";
}

Task new_task(const Swarm& swarm, std::int64_t number, std::string agent, std::string prompt) {
  return {.owner = swarm.owner,
          .id = part_id(swarm.id, number),
          .swarm = swarm.id,
          .number = number,
          .agent = std::move(agent),
          .prompt = std::move(prompt)};
}

}  // namespace

std::string part_id(std::string_view swarm, std::int64_t number) {
  auto digits = std::to_string(number);
  digits.insert(0, digits.size() < 6 ? 6 - digits.size() : 0, '0');
  return std::string(swarm) + "." + digits;
}

std::string planning_message(const Swarm& swarm, const std::vector<agents::Agent>& members) {
  std::string list;
  for (const auto& member : members) list += described(member);
  return "You are the orchestrator of a swarm of agents. Plan how it reaches its goal; do not work on the goal yet.\n\n"
         "Goal:\n" +
         std::string(web::utf8_prefix(swarm.goal, max_goal_bytes)) + "\n\nMembers:\n" + list +
         "\nAnswer with one JSON object and nothing else: {\"tasks\":[{\"agent\":\"<id of a member>\",\"task\":\"<what "
         "it "
         "is to do, complete in itself>\",\"after\":[<numbers of earlier tasks whose answers it needs>]}]}. At most " +
         std::to_string(max_tasks) +
         " tasks, numbered from 1 in their order. Tasks without \"after\" run at the same time. Give every member "
         "something to do that fits it.";
}

std::optional<std::vector<Task>> plan_in(std::string_view answer, const Swarm& swarm,
                                         const std::vector<agents::Agent>& members) {
  const auto begin = answer.find('{'), end = answer.rfind('}');
  if (begin == answer.npos || end == answer.npos || end < begin) return std::nullopt;
  const auto value = web::parse_json(answer.substr(begin, end - begin + 1));
  if (!value || !value->is_object()) return std::nullopt;
  auto plan = web::parse_value<Plan>(*value);
  if (!plan) return std::nullopt;
  std::vector<Task> planned;
  for (auto& one : plan->tasks) {
    const auto* agent = member_named(one.agent, members);
    if (!agent) return std::nullopt;
    auto task = new_task(swarm, std::int64_t(planned.size()) + 1, agent->id, std::move(one.task));
    if (one.after) {
      for (const std::int64_t number : *one.after) {
        if (number >= task.number) return std::nullopt;
        if (std::ranges::count(task.after, number) == 0) task.after.push_back(number);
      }
    }
    planned.push_back(std::move(task));
  }
  return planned;
}

std::vector<Task> plan_of_the_box(const Swarm& swarm) {
  std::vector<Task> planned;
  for (const auto& agent : swarm.agents)
    planned.push_back(new_task(swarm, std::int64_t(planned.size()) + 1, agent, swarm.goal));
  return planned;
}

std::string task_message(const Swarm& swarm, const Task& task, const std::vector<Task>& all) {
  if (swarm.planned_by == Planner::box) return task.prompt;
  auto message = "You are a member of a swarm of agents. Its goal:\n" +
                 std::string(web::utf8_prefix(swarm.goal, max_goal_bytes)) + "\n\nYour task:\n" + task.prompt;
  if (!task.after.empty()) message += "\n\nAnswers to earlier tasks:";
  const auto left = max_message_bytes - std::min(max_message_bytes, message.size());
  for (const auto& earlier : all)
    if (std::ranges::count(task.after, earlier.number) > 0)
      message += "\n\nTask " + std::to_string(earlier.number) + ":\n" +
                 cut_to_share(answer_of(earlier), left, task.after.size());
  return message + "\n\nAnswer with the result of your task.";
}

std::string joining_message(const Swarm& swarm, const std::vector<Task>& all,
                            const std::vector<agents::Agent>& members) {
  auto message = "The swarm has finished its tasks. Join their answers into one result for its goal.\n\nGoal:\n" +
                 std::string(web::utf8_prefix(swarm.goal, max_goal_bytes));
  const auto left = max_message_bytes - message.size();
  for (const auto& task : all)
    message += "\n\nTask " + std::to_string(task.number) + ", by " + member_name(task.agent, members) + ": " +
               cut_to_share(task.prompt + "\n" + answer_of(task), left, all.size());
  return message + "\n\nAnswer with the result only. Say where the answers contradict each other and what is missing.";
}

std::string joined(const std::vector<Task>& all, const std::vector<agents::Agent>& members) {
  std::string text;
  for (const auto& task : all)
    text +=
        (text.empty() ? "" : "\n\n") + std::string("## ") + member_name(task.agent, members) + "\n\n" + answer_of(task);
  return text;
}

}  // namespace swarms
