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
#include <vector>

#include "appliance/access/records.h"
#include "appliance/box/open_store.h"
#include "appliance/foundation/data_folder.h"
#include "appliance/hosting/agents/records.h"
#include "appliance/hosting/schedule/records.h"

namespace {

constexpr int tasks_per_commit = 1'000, tasks_per_owner = 1'000;
constexpr store::UserId first_owner = 1'000'000;  // nobody signs in as these
constexpr int due_owners = 10;                    // of what comes due at once: no plan lets one user have so many tasks

std::string agent_of(store::UserId owner) { return "ag_bench" + std::to_string(owner); }

schedule::Task make_task(int number, store::UserId owner, store::Time next_run) {
  schedule::Task task;
  task.owner = owner;
  task.id = "st_" + std::to_string(number);
  task.agent = agent_of(owner);
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
  agent.id = agent_of(owner);
  agent.name = "Bench";
  agent.subdomain = "bench" + std::to_string(owner);
  agent.status = agents::Status::running;
  agent.port = port;
  agent.box_token_hash = agent.id;
  agent.gateway_token = {"bench"};
  return agent;
}

accounts::User make_owner(store::UserId id) {
  accounts::User user;
  user.id = id;
  user.email = "tasks" + std::to_string(id) + "@bench.local";
  user.referral_code = "tasks" + std::to_string(id);
  return user;
}

void commit(store::Change change) {
  if (!change.commit_blocking().ok()) throw std::runtime_error("the folder has been filled before");
}

store::Time fill(const std::string& folder, int tasks, int due, std::chrono::seconds ahead,
                 const std::vector<std::int64_t>& ports) {
  agentbox::Settings settings;
  settings.data = folder;
  const auto store = agentbox::open_store(settings);
  const auto system = store->system();
  const int owners = static_cast<int>(ports.size());  // of what comes due at once: no plan gives one user so many tasks
  const auto far = store::now() + std::chrono::years(2);
  for (int first = 0; first < tasks; first += tasks_per_commit) {
    auto change = system.change();
    for (int number = first; number < std::min(first + tasks_per_commit, tasks); ++number)
      change.insert(schedule::tasks, make_task(number, first_owner + owners + number / tasks_per_owner,
                                               far + std::chrono::milliseconds(number)));
    commit(std::move(change));
  }
  const store::Time when = std::chrono::ceil<std::chrono::seconds>(store::now() + ahead);
  auto change = system.change();
  for (int owner = 0; owner < owners; ++owner) {
    change.insert(accounts::users, make_owner(first_owner + owner));
    change.insert(agents::records, make_agent(first_owner + owner, ports[std::size_t(owner)]));
  }
  for (int number = 0; number < due; ++number)
    change.insert(schedule::tasks, make_task(tasks + number, first_owner + number % owners, when));
  commit(std::move(change));
  return when;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) {
    std::fprintf(stderr, "usage: fill_tasks FOLDER TASKS DUE AHEAD PORT...\n");
    return 2;
  }
  try {
    std::vector<std::int64_t> ports;  // of gateways, one for each owner of what comes due
    for (int at = 5; at < argc; ++at) ports.push_back(std::atoi(argv[at]));
    const auto due =
        fill(argv[1], std::atoi(argv[2]), std::atoi(argv[3]), std::chrono::seconds(std::atoi(argv[4])), ports);
    std::printf("{\"due\": %lld}\n", static_cast<long long>(due.time_since_epoch().count()));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fill_tasks: %s\n", error.what());
    return 1;
  }
}
