#include "appliance/hosting/agents/provisioning/job.h"

namespace agents {

void put_job(const store::System& system, Job wanted, store::Change& change) {
  auto row = system.get(jobs, wanted.agent);
  if (!row) {
    change.insert(jobs, wanted);
    return;
  }
  wanted.forgets = wanted.forgets || row->value.forgets;
  if (!row->value.reason.empty() && wanted.action == Action::start) wanted.action = Action::restart;
  row->value = std::move(wanted);
  change.update(jobs, *row);
}

}  // namespace agents
