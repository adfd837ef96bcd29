// Swarms in answers of routes.
#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/network/swarms/records.h"

namespace swarms {

struct SwarmItem {
  std::string id, name, goal;
  State state;
  std::vector<std::string> agents;
  std::string orchestrator;
  std::optional<Planner> plannedBy;
  std::int64_t tasks;
  std::optional<std::string> maxCostUsd;
  std::string spentUsd;
  std::optional<std::string> result, reason;
  store::Time createdAt, deadline;
  std::optional<store::Time> finishedAt;
};
BOOST_DESCRIBE_STRUCT(SwarmItem, (),
                      (id, name, goal, state, agents, orchestrator, plannedBy, tasks, maxCostUsd, spentUsd, result,
                       reason, createdAt, deadline, finishedAt))

struct SwarmList {
  std::vector<SwarmItem> swarms;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(SwarmList, (), (swarms, count))

struct TaskItem {
  std::int64_t number;
  std::string agentId, task;
  std::vector<std::int64_t> after;
  TaskState state;
  std::optional<std::string> answer, error, model;
  std::optional<store::Time> startedAt, finishedAt;
};
BOOST_DESCRIBE_STRUCT(TaskItem, (), (number, agentId, task, after, state, answer, error, model, startedAt, finishedAt))

struct SwarmDetail : SwarmItem {
  std::vector<TaskItem> taskList;
};
BOOST_DESCRIBE_STRUCT(SwarmDetail, (SwarmItem), (taskList))

SwarmItem view(Swarm);
SwarmDetail detail(Swarm, std::vector<Task>);

}  // namespace swarms
