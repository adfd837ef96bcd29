// The souls of a user: the agents that should run, the user's registered installation, and the agents elsewhere that
// have reported spans of late.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "appliance/billing/spans/recorder.h"
#include "appliance/hosting/agents/addresses.h"
#include "appliance/network/fleet/load_sampler.h"
#include "appliance/network/fleet/records.h"
#include "store/store.h"
#include "web/task.h"

namespace fleet {

BOOST_DEFINE_ENUM_CLASS(Role, orchestrator, specialist, worker)
BOOST_DEFINE_ENUM_CLASS(Status, active, idle, stale, offline)

// How many of the last turns succeeded.
struct TurnCounts {
  std::int64_t succeeded = 0, all = 0;
};

struct Soul {
  std::string id, name;
  std::optional<Role> role;  // from its config; not set: follows from its place
  std::string parent;        // id of the agent it was cloned from, which need not be among the souls; empty: none
  store::Time created_at{};
  Status status = Status::idle;
  bool is_reachable = false;
  Load load;
  TurnCounts recent;
  std::int64_t turns = 0, messages_today = 0;  // of all time; of the last 24 hours
  std::string url, wallet;                     // empty: none
};

// Callable from every thread; the arguments must outlive it.
class Souls {
 public:
  Souls(store::System system, spans::Recorder& recorder, const agents::AgentAddresses& addresses, LoadSampler& sampler,
        std::chrono::milliseconds installation_interval)
      : system_(std::move(system)),
        recorder_(recorder),
        addresses_(addresses),
        sampler_(sampler),
        installation_silence_(3 * installation_interval) {}

  // Oldest first.
  web::Task<std::vector<Soul>> of(store::UserId) const;

 private:
  // What changes rarely.
  struct Known {
    std::vector<FleetAgent> agents;      // that should run, oldest first
    std::vector<WatchState> watch;       // of the same agents
    std::vector<std::string> addresses;  // of their wallets; empty: none
  };
  std::shared_ptr<const Known> known(store::UserId) const;
  std::optional<Soul> installation(store::UserId, store::Time now) const;

  store::System system_;
  spans::Recorder& recorder_;
  const agents::AgentAddresses& addresses_;
  LoadSampler& sampler_;
  const std::chrono::milliseconds installation_silence_;
  mutable store::VersionedCache<Known, store::UserId> cache_;
};

}  // namespace fleet
