// Agents as the contract shows them.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "appliance/hosting/agents/agents.h"

namespace agents {

struct ListItem {
  std::string id, name, model;
  Status status;
  std::string websocketUrl;
  store::Time createdAt, updatedAt;
};
BOOST_DESCRIBE_STRUCT(ListItem, (), (id, name, model, status, websocketUrl, createdAt, updatedAt))

struct AgentList {
  std::vector<ListItem> agents;
  std::int64_t count = 0;
  std::string status = "ok";
};
BOOST_DESCRIBE_STRUCT(AgentList, (), (agents, count, status))

struct BackendItem {
  std::string id;
  Status status;
  store::Time created;
  std::string subdomain, url;
};
BOOST_DESCRIBE_STRUCT(BackendItem, (), (id, status, created, subdomain, url))

// How the watchdog sees an agent; its history is oldest first.
struct WatchView {
  struct Change {
    store::Time at;
    watchdog::State state;
    std::string reason;
    BOOST_DESCRIBE_CLASS(Change, (), (at, state, reason), (), ())
  };
  watchdog::State state;
  store::Time since;
  std::optional<store::Time> lastProbe;
  std::int64_t crashes, repairs;
  std::vector<Change> history;
};
BOOST_DESCRIBE_STRUCT(WatchView, (), (state, since, lastProbe, crashes, repairs, history))

// Also what the contract's detail does not name and the console needs: name, model, tier, statusReason, websocketUrl,
// watchdog.
struct Detail {
  std::string id, name;
  Status status;
  std::string statusReason;
  std::optional<store::Time> startedAt;
  std::string plan, tier, model, subdomain, url, websocketUrl, runtimeVersion;
  bool verified;
  std::optional<std::string> verificationType, attestationUid;
  std::optional<store::Time> verifiedAt;
  store::Time createdAt, updatedAt;
  WatchView watchdog;
};
BOOST_DESCRIBE_STRUCT(Detail, (),
                      (id, name, status, statusReason, startedAt, plan, tier, model, subdomain, url, websocketUrl,
                       runtimeVersion, verified, verificationType, attestationUid, verifiedAt, createdAt, updatedAt,
                       watchdog))

struct Deleted {
  std::string id;
  bool deleted = true;
};
BOOST_DESCRIBE_STRUCT(Deleted, (), (id, deleted))

// The answer of start, stop and restart.
struct Lifecycle {
  bool success = true;
  std::string id;
  Status status;
};
BOOST_DESCRIBE_STRUCT(Lifecycle, (), (success, id, status))

web::Task<Detail> detail_of(Agents&, Agent);

}  // namespace agents
