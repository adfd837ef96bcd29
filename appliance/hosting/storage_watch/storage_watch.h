// Stops agents whose files exceed their plan's storage. Their tools and uploads refuse to; this is for a process that
// writes without asking.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <filesystem>

#include "appliance/foundation/disk_reserve.h"
#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/agents/lifecycle.h"
#include "appliance/runtime/engine.h"

namespace storage_watch {

struct Pace {
  std::chrono::steady_clock::duration count{std::chrono::minutes(1)};
  std::chrono::steady_clock::duration count_in_need{std::chrono::seconds(5)};  // while the disk reserve is reached
};

// Used on one thread.
class StorageWatch {
 public:
  // `folder`: data/agents. All arguments must outlive it; files are counted on `files`.
  StorageWatch(store::System, const agents::AgentDirectory&, agents::AgentLifecycle&, runtime::Engine&,
               std::filesystem::path folder, agentbox::DiskReserve, boost::asio::thread_pool& files, Pace = {});

  // To be called about once a second. Counts the files of the agents that run when it is time to, and stops those
  // beyond their quota (agent_process::is_within); their record then has the reason.
  web::Task<> look();

 private:
  web::Task<> check(store::UserId owner, std::string agent);

  store::System system_;
  const agents::AgentDirectory& agents_;
  agents::AgentLifecycle& lifecycle_;
  runtime::Engine& engine_;
  const std::filesystem::path folder_;
  const agentbox::DiskReserve disk_;
  boost::asio::thread_pool& files_;
  const Pace pace_;
  std::chrono::steady_clock::time_point counted_at_{};
};

}  // namespace storage_watch
