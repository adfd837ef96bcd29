#include "appliance/network/swarms/views.h"

#include "appliance/billing/usage/money.h"

namespace swarms {

namespace {

std::optional<std::string> unless_empty(std::string text) {
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

TaskItem view(Task task) {
  return {.number = task.number,
          .agentId = std::move(task.agent),
          .task = std::move(task.prompt),
          .after = std::move(task.after),
          .state = task.state,
          .answer = unless_empty(std::move(task.answer)),
          .error = unless_empty(std::move(task.error)),
          .model = unless_empty(std::move(task.model)),
          .startedAt = task.started_at,
          .finishedAt = task.finished_at};
}

}  // namespace

SwarmItem view(Swarm swarm) {
  SwarmItem item{.id = std::move(swarm.id),
                 .name = std::move(swarm.name),
                 .goal = std::move(swarm.goal),
                 .state = swarm.state,
                 .agents = std::move(swarm.agents),
                 .orchestrator = std::move(swarm.orchestrator),
                 .plannedBy = swarm.planned_by,
                 .tasks = swarm.tasks,
                 .maxCostUsd = {},
                 .spentUsd = usage::Money::of_units(swarm.spent).to_string(),
                 .result = unless_empty(std::move(swarm.result)),
                 .reason = unless_empty(std::move(swarm.reason)),
                 .createdAt = swarm.created_at,
                 .deadline = swarm.deadline,
                 .finishedAt = swarm.finished_at};
  if (swarm.max_cost) item.maxCostUsd = usage::Money::of_units(*swarm.max_cost).to_string();
  return item;
}

SwarmDetail detail(Swarm swarm, std::vector<Task> list) {
  SwarmDetail answer;
  static_cast<SwarmItem&>(answer) = view(std::move(swarm));
  for (auto& task : list) answer.taskList.push_back(view(std::move(task)));
  return answer;
}

}  // namespace swarms
