// One agent in one file: what it is, its workspace with its memory, conversation and scheduled prompts. Secrets stay
// where they are, and so does what is the box's: tokens, addresses, usage, logs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "appliance/box/agent_transfer/carried.h"
#include "appliance/foundation/disk_reserve.h"
#include "appliance/foundation/platform.h"

namespace agents {
class AgentDirectory;
class AgentLifecycle;
class AgentProvisioning;
}  // namespace agents

namespace agent_transfer {

struct Exported {
  std::uint64_t bytes = 0;            // of the file
  std::vector<std::string> secrets;   // of the config, which are not in it: JSON pointers
  std::vector<std::string> left_out;  // of the workspace, as sentences
};

struct Imported {
  agents::Agent agent;
  std::vector<std::string> secrets;  // that the agent had, and that its owner has to set again
  std::size_t messages = 0, schedules = 0;
};

// Callable from every thread. The arguments must outlive it.
class AgentTransfer {
 public:
  AgentTransfer(const agentbox::Platform&, const agents::AgentDirectory&, agents::AgentProvisioning&,
                agents::AgentLifecycle&, schedule::Tasks&);

  // To a new file of the box's machine, at an absolute path outside of the data folder. A running agent may change its
  // files meanwhile. not_found; invalid with the reason if the file cannot be written; unavailable without room.
  web::Task<web::Result<Exported>> export_to(std::filesystem::path file, std::string agent);
  // As a new agent of this user (0: the box), stopped. The file is checked as a whole before anything is made, and what
  // fails later leaves nothing. invalid with the reason; errors of AgentProvisioning::create and Tasks::create.
  web::Task<web::Result<Imported>> import_from(std::filesystem::path file, store::UserId owner);

 private:
  Exported write(const agents::Agent&, const std::filesystem::path& file) const;
  web::Task<web::Result<Imported>> fill(Imported, std::filesystem::path file, std::vector<ExportedSchedule>);

  const agentbox::Platform& platform_;
  const agents::AgentDirectory& directory_;
  agents::AgentProvisioning& provisioning_;
  agents::AgentLifecycle& lifecycle_;
  schedule::Tasks& tasks_;
  const agentbox::DiskReserve disk_;
};

}  // namespace agent_transfer
