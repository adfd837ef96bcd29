#include "appliance/hosting/storage_watch/storage_watch.h"

#include "appliance/agent/storage.h"
#include "appliance/billing/subscriptions/storage_upgrades.h"
#include "appliance/files/root.h"
#include "appliance/foundation/data_folder.h"
#include "web/log.h"
#include "web/run_on.h"

namespace storage_watch {

namespace {

using web::Task;
using Steady = std::chrono::steady_clock;

std::string megabytes(std::int64_t bytes) { return std::to_string(bytes >> 20) + " MB"; }

std::string reason_of(const agent_process::StorageUse& use, std::int64_t quota) {
  return "Stopped: its files take " + megabytes(use.all) + ", and its plan has room for " + megabytes(quota) +
         " (and as much for their history). Delete files or upgrade, then start it.";
}

}  // namespace

StorageWatch::StorageWatch(store::System system, const agents::AgentDirectory& agents,
                           agents::AgentLifecycle& lifecycle, runtime::Engine& engine, std::filesystem::path folder,
                           agentbox::DiskReserve disk, boost::asio::thread_pool& files, Pace pace)
    : system_(std::move(system)),
      agents_(agents),
      lifecycle_(lifecycle),
      engine_(engine),
      folder_(std::move(folder)),
      disk_(std::move(disk)),
      files_(files),
      pace_(pace) {}

Task<> StorageWatch::look() {
  const auto now = Steady::now();
  const auto pause = disk_.admit() ? pace_.count : pace_.count_in_need;
  if (counted_at_ != Steady::time_point() && now - counted_at_ < pause) co_return;
  counted_at_ = now;
  for (auto& agent : agents_.list_all(std::size_t(-1)))
    if (agent.status == agents::Status::running) co_await check(agent.owner, std::move(agent.id));
}

Task<> StorageWatch::check(store::UserId owner, std::string id) {
  const auto agent = agents_.find(owner, id);
  if (!agent) co_return;
  const auto quota = std::int64_t(billing::storage_limit(system_, agent->owner, agent->plan));
  auto count = [folder = folder_ / id] {
    agent_process::StorageUse use;
    if (const auto workspace = files::Root::open(folder / agentbox::workspace_folder))
      use = agent_process::storage_use(*workspace);
    // A volume has no history that would have room of its own.
    if (const auto volumes = files::Root::open(folder / agentbox::volumes_folder)) {
      const auto bytes = agent_process::storage_use(*volumes).all;
      use.files += bytes;
      use.all += bytes;
    }
    return use;
  };
  const auto use = co_await web::offload(files_, std::move(count));
  if (agent_process::is_within(use, quota)) co_return;
  const auto reason = reason_of(use, quota);
  web::log::warning("agent_beyond_its_storage", {{"agent", id}, {"bytes", use.all}, {"quota", quota}});
  // Its process first: it need not obey, and may be filling the disk.
  const auto killed = co_await engine_.stop(id, std::chrono::seconds(0));
  const auto stopped = co_await lifecycle_.stop(owner, id);
  if (!killed || !stopped) co_return;  // the next count tries again
  std::function<void(agents::Agent&)> explain = [reason](agents::Agent& row) { row.status_reason = reason; };
  co_await system_.modify(agents::records, owner, id, std::move(explain));
}

}  // namespace storage_watch
