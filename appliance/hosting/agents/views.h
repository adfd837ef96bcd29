// Agents as the API shows them. AgentView is the one mapping from a record; every answer is a described struct that
// shows the members of AgentView that it names. A field for all answers: records.h, AgentCore, and views.cpp.
#pragma once

#include <boost/describe.hpp>
#include <boost/mp11/algorithm.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/hosting/agents/addresses.h"
#include "appliance/hosting/agents/monitor.h"
#include "appliance/hosting/agents/records.h"
#include "web/protocol/http.h"
#include "web/result.h"

namespace agents {

// In every answer about an agent.
struct AgentCore {
  std::string id;
  Status status = Status::pending;
};
BOOST_DESCRIBE_STRUCT(AgentCore, (), (id, status))

// All that answers show of a record. Lists fill in only the fields of AgentSummary.
struct AgentView : AgentCore {
  std::string name, statusReason, plan, tier, model, aiProvider, subdomain, url, websocketUrl, runtimeVersion;
  bool verified = false;
  std::optional<std::string> verificationType, attestationUid;
  std::optional<store::Time> verifiedAt, startedAt;
  store::Time createdAt, updatedAt;
};
BOOST_DESCRIBE_STRUCT(AgentView, (AgentCore),
                      (name, statusReason, plan, tier, model, aiProvider, subdomain, url, websocketUrl, runtimeVersion,
                       verified, verificationType, attestationUid, verifiedAt, startedAt, createdAt, updatedAt))

AgentView view_of(const Agent&, const AgentAddresses&);
AgentView view_of(const AgentSummary&, const AgentAddresses&);

// An answer with those members filled in that AgentView has by the same name; the others have their defaults.
template <class Answer>
Answer show(AgentView view) {
  constexpr unsigned all = boost::describe::mod_public | boost::describe::mod_inherited;
  Answer answer;
  boost::mp11::mp_for_each<boost::describe::describe_members<Answer, all>>([&]<class Shown>(Shown) {
    boost::mp11::mp_for_each<boost::describe::describe_members<AgentView, all>>([&]<class Known>(Known) {
      if constexpr (std::string_view(Shown::name) == Known::name)
        answer.*Shown::pointer = std::move(view.*Known::pointer);
    });
  });
  return answer;
}

// ---- Lists

struct ListItem : AgentCore {
  std::string name, model, websocketUrl;
  store::Time createdAt, updatedAt;
};
BOOST_DESCRIBE_STRUCT(ListItem, (AgentCore), (name, model, websocketUrl, createdAt, updatedAt))

struct BackendItem : AgentCore {
  store::Time created;
  std::string subdomain, url;
};
BOOST_DESCRIBE_STRUCT(BackendItem, (AgentCore), (created, subdomain, url))

struct InstanceItem : AgentCore {
  std::string name, subdomain, url;
};
BOOST_DESCRIBE_STRUCT(InstanceItem, (AgentCore), (name, subdomain, url))

// ---- One agent

// How the watchdog sees an agent; its history is oldest first.
struct WatchView {
  struct Change {
    store::Time at;
    watchdog::State state;
    std::string reason;
    BOOST_DESCRIBE_CLASS(Change, (), (at, state, reason), (), ())
  };
  watchdog::State state{};
  store::Time since;
  std::optional<store::Time> lastProbe;
  std::int64_t crashes = 0, repairs = 0;
  std::vector<Change> history;
};
BOOST_DESCRIBE_STRUCT(WatchView, (), (state, since, lastProbe, crashes, repairs, history))

// Besides the contract's fields those that the console needs: name, model, tier, statusReason, websocketUrl, watchdog.
struct Detail : AgentCore {
  std::string name, statusReason;
  std::optional<store::Time> startedAt;
  std::string plan, tier, model, subdomain, url, websocketUrl, runtimeVersion;
  bool verified = false;
  std::optional<std::string> verificationType, attestationUid;
  std::optional<store::Time> verifiedAt;
  store::Time createdAt, updatedAt;
  WatchView watchdog;
};
BOOST_DESCRIBE_STRUCT(Detail, (AgentCore),
                      (name, statusReason, startedAt, plan, tier, model, subdomain, url, websocketUrl, runtimeVersion,
                       verified, verificationType, attestationUid, verifiedAt, createdAt, updatedAt, watchdog))

web::Task<Detail> detail_of(AgentMonitor&, const AgentAddresses&, Agent);

// The answer of start, stop, restart, repair, update and reset-memory.
struct LifecycleAnswer : AgentCore {
  bool success = true;
};
BOOST_DESCRIBE_STRUCT(LifecycleAnswer, (AgentCore), (success))

struct DeletedAgent {
  std::string id;
  bool deleted = true;
};
BOOST_DESCRIBE_STRUCT(DeletedAgent, (), (id, deleted))

// The answer about an agent after it was started, stopped, repaired or reset.
web::Result<web::Response> lifecycle_answer(const web::Result<Agent>&, const AgentAddresses&);

}  // namespace agents
