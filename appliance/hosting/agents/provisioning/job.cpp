#include "appliance/hosting/agents/provisioning/job.h"

namespace agents {

void put_job(const store::System& system, Job job, store::Change& change) {
  auto row = system.get(jobs, job.agent);
  if (!row) {
    change.insert(jobs, job);
    return;
  }
  job.forgets = job.forgets || row->value.forgets;
  if (!row->value.reason.empty() && job.action == Action::start) job.action = Action::restart;
  row->value = std::move(job);
  change.update(jobs, *row);
}

}  // namespace agents
