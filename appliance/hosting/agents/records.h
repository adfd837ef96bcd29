// What is stored about agents: the record, and the job in progress.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "store/store.h"
#include "store/table.h"

namespace agents {

// How long an agent has until its gateway is ready (the contract's waitForHealthy).
inline constexpr std::chrono::seconds healthy_within{60};

BOOST_DEFINE_ENUM_CLASS(Status, pending, provisioning, running, stopping, stopped, error, deleting)

inline constexpr auto default_model = "auto";     // the box's default
inline constexpr auto runtime_version = "0.1.0";  // of the agent program in this binary

// What the owner wants. The provisioner works until the agent is in that state, also after a crash of the box.
namespace desired {
inline constexpr auto running = "running", stopped = "stopped", removed = "removed";
}

inline constexpr auto unspecialized = "general";

// The origin of a clone.
struct CloneOrigin {
  std::string parent;          // an agent's id; it may have been deleted since
  std::string specialization;  // part of the agent's instructions, except `unspecialized`
  std::int64_t generation = 2;
};
BOOST_DESCRIBE_STRUCT(CloneOrigin, (), (parent, specialization, generation))

struct Agent {
  std::int64_t owner = 0;  // 0: the box itself, created through the backend
  std::string id;          // ag_ and 20 random characters
  std::string name;
  std::optional<std::string> deployment;  // the name it was deployed by; unique for its owner, free once it is deleted
  std::string subdomain;                  // [a-z0-9-]{1,40}: from the name, with a random suffix; unique
  std::string model;                      // "auto": the box's default
  std::string image;                      // of its container; empty: the box's
  std::string plan, tier;                 // label, solo, ...; the tier as asked for, or empty
  boost::json::object config;             // without its secrets: config_secrets.h
  store::Sealed config_secrets;           // the text of a JSON object; empty: none
  Status status = Status::pending;
  std::string status_reason;  // a sentence; empty unless something is wrong or in progress
  std::string desired = agents::desired::stopped;
  std::optional<std::int64_t> port;  // of the gateway on 127.0.0.1; unique
  store::Sealed gateway_token;       // presented by callers of the agent
  // accounts::User::sessions_since when the gateway token was made: a later one has ended it. Not set: made before
  // there were such epochs.
  std::optional<std::int64_t> tokens_since;
  store::Sealed box_token;      // presented by the agent to the backend
  std::string box_token_hash;   // SHA-256 of it in hex; unique
  std::string runtime_version;  // of the binary that last started it
  bool verified = false;
  std::optional<std::string> verification_type, attestation_uid, verifier_address;
  std::optional<boost::json::object> verification_metadata;
  std::optional<store::Time> verified_at, started_at;
  std::optional<CloneOrigin> descent;  // of clones
  store::Time created_at, updated_at;
};
BOOST_DESCRIBE_STRUCT(Agent, (),
                      (owner, id, name, deployment, subdomain, model, image, plan, tier, config, config_secrets, status,
                       status_reason, desired, port, gateway_token, tokens_since, box_token, box_token_hash,
                       runtime_version, verified, verification_type, attestation_uid, verifier_address,
                       verification_metadata, verified_at, started_at, descent, created_at, updated_at))

inline const store::Owned<Agent> records{
    {.family = "agents", .number = 30},
    &Agent::owner,
    &Agent::id,
    {store::unique<Agent>(1, "agent", &Agent::id),
     store::unique<Agent>(2, "subdomain", &Agent::subdomain),
     store::unique<Agent>(3, "port", &Agent::port),
     store::unique<Agent>(4, "box_token", &Agent::box_token_hash),
     store::index<Agent>(5, "desired", &Agent::desired),
     {6, "deployment", true, true, [](const Agent& agent) { return store::index_value(agent.deployment); }}}};

// The same rows for lists: without unsealing the tokens. Never written.
struct AgentSummary {
  std::int64_t owner = 0;
  std::string id, name, subdomain, model;
  Status status = Status::pending;
  store::Time created_at, updated_at;
};
BOOST_DESCRIBE_STRUCT(AgentSummary, (), (owner, id, name, subdomain, model, status, created_at, updated_at))

inline const store::Owned<AgentSummary> summaries{records.name, &AgentSummary::owner, &AgentSummary::id, {}};

// What revocation.h needs of the same rows. Never written.
struct AgentAccess {
  std::int64_t owner = 0;
  std::string id, desired;
  std::optional<std::int64_t> tokens_since;
};
BOOST_DESCRIBE_STRUCT(AgentAccess, (), (owner, id, desired, tokens_since))

inline const store::Owned<AgentAccess> accesses{records.name, &AgentAccess::owner, &AgentAccess::id, {}};

// kill and revive are the watchdog's: they end the process of an agent that should run, and start it again.
BOOST_DEFINE_ENUM_CLASS(Action, start, stop, restart, remove, kill, revive, update)

// Whether the agent runs after the action.
constexpr bool brings_up(Action action) {
  return action != Action::stop && action != Action::remove && action != Action::kill;
}

// Accepted work on one agent. There is at most one job per agent: a newer one replaces it.
struct Job {
  std::string agent;
  std::int64_t owner = 0;
  Action action = Action::start;
  bool forgets = false;                 // first the agent is stopped and its memory is removed
  std::string image;                    // update: the new Agent::image
  std::optional<std::string> previous;  // update in progress: the image before, for rollback
  std::string reason;                   // stop: the Agent::status_reason afterwards
  store::Time created_at;
};
BOOST_DESCRIBE_STRUCT(Job, (), (agent, owner, action, forgets, image, previous, reason, created_at))

inline const store::Global<Job> jobs{{.family = "agent_jobs", .number = 31}, &Job::agent, {}};

// Per user: existing agents of any status.
inline const store::CounterName count{"agents"};

}  // namespace agents
