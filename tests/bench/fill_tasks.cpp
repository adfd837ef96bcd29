// Fills the store of a set-up data folder with scheduled tasks: TASKS of them due in years, and DUE that all come due
// in the same second, AHEAD seconds from the end of the filling on. Their agent answers at PORT of this machine; for
// the box it is one that runs. Prints {"due": milliseconds since the epoch}.
// usage: fill_tasks FOLDER TASKS DUE AHEAD PORT
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

#include "appliance/accounts/records.h"
#include "appliance/agents/records.h"
#include "appliance/data_folder.h"
#include "appliance/schedule/records.h"

namespace {

constexpr int tasks_per_commit = 1'000, tasks_per_owner = 1'000;
constexpr store::UserId first_owner = 1'000'000;  // nobody signs in as these
constexpr auto agent_id = "ag_bench";

schedule::Task make_task(int number, store::UserId owner, store::Time next_run) {
  schedule::Task task;
  task.owner = owner;
  task.id = "st_" + std::to_string(number);
  task.agent = agent_id;
  task.name = "Task " + std::to_string(number);
  task.cron_schedule = "0 9 1 1 *";
  task.timezone = "Europe/London";
  task.prompt = "What is new?";
  task.next_run = next_run;
  task.created_at = task.updated_at = store::now();
  return task;
}

agents::Agent make_agent(store::UserId owner, std::int64_t port) {
  agents::Agent agent;
  agent.owner = owner;
  agent.id = agent_id;
  agent.name = "Bench";
  agent.subdomain = "bench";
  agent.status = agents::Status::running;
  agent.port = port;
  agent.gateway_token = {"bench"};
  return agent;
}

accounts::User make_owner() {
  accounts::User user;
  user.id = first_owner;
  user.email = "tasks@bench.local";
  user.referral_code = "tasks";
  return user;
}

void commit(store::Change change) {
  if (!change.commit_blocking().ok()) throw std::runtime_error("the folder has been filled before");
}

store::Time fill(const std::string& folder, int tasks, int due, std::chrono::seconds ahead, std::int64_t port) {
  agentbox::Settings settings;
  settings.data = folder;
  const auto store = agentbox::open_store(settings);
  const auto system = store->system();
  const auto far = store::now() + std::chrono::years(2);
  for (int first = 0; first < tasks; first += tasks_per_commit) {
    auto change = system.change();
    for (int number = first; number < std::min(first + tasks_per_commit, tasks); ++number)
      change.insert(schedule::tasks, make_task(number, first_owner + 1 + number / tasks_per_owner,
                                               far + std::chrono::milliseconds(number)));
    commit(std::move(change));
  }
  const store::Time when = std::chrono::ceil<std::chrono::seconds>(store::now() + ahead);
  auto change = system.change();
  change.insert(accounts::users, make_owner());
  change.insert(agents::records, make_agent(first_owner, port));
  for (int number = 0; number < due; ++number)
    change.insert(schedule::tasks, make_task(tasks + number, first_owner, when));
  commit(std::move(change));
  return when;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: fill_tasks FOLDER TASKS DUE AHEAD PORT\n");
    return 2;
  }
  try {
    const auto due = fill(argv[1], std::atoi(argv[2]), std::atoi(argv[3]), std::chrono::seconds(std::atoi(argv[4])),
                          std::atoi(argv[5]));
    std::printf("{\"due\": %lld}\n", static_cast<long long>(due.time_since_epoch().count()));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fill_tasks: %s\n", error.what());
    return 1;
  }
}
