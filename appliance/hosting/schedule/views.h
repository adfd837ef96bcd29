// Scheduled prompts as both listeners show them.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "appliance/hosting/schedule/records.h"

namespace schedule {

struct TaskView {
  std::string id, name;
  std::optional<std::string> description;
  std::string cronSchedule, prompt;
  bool enabled;
  std::optional<store::Time> lastRun, nextRun;
  std::string agentId;
  store::Time createdAt, updatedAt;
  std::string timezone;
  CatchUp catchUp;
  Overlap overlap;
  bool running;
};
BOOST_DESCRIBE_STRUCT(TaskView, (),
                      (id, name, description, cronSchedule, prompt, enabled, lastRun, nextRun, agentId, createdAt,
                       updatedAt, timezone, catchUp, overlap, running))

struct TaskList {
  std::vector<TaskView> tasks;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(TaskList, (), (tasks, count))

struct Removed {
  bool success = true;
  std::string taskId;
};
BOOST_DESCRIBE_STRUCT(Removed, (), (success, taskId))

TaskView view(Task);
TaskList views(std::vector<Task>);

}  // namespace schedule
