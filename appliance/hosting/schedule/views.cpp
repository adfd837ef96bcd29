#include "appliance/hosting/schedule/views.h"

namespace schedule {

TaskView view(Task task) {
  return {.id = std::move(task.id),
          .name = std::move(task.name),
          .description = std::move(task.description),
          .cronSchedule = std::move(task.cron_schedule),
          .prompt = std::move(task.prompt),
          .enabled = task.enabled,
          .lastRun = task.last_run,
          .nextRun = task.next_run,
          .agentId = std::move(task.agent),
          .createdAt = task.created_at,
          .updatedAt = task.updated_at,
          .timezone = std::move(task.timezone),
          .catchUp = task.catch_up,
          .overlap = task.overlap,
          .running = task.running.has_value()};
}

TaskList views(std::vector<Task> found) {
  TaskList list;
  for (auto& task : found) list.tasks.push_back(view(std::move(task)));
  list.count = std::int64_t(list.tasks.size());
  return list;
}

}  // namespace schedule
