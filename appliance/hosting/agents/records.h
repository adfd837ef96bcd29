// What is stored about agents: the record, and the work that is still to be done on it.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "store/store.h"
#include "store/table.h"

namespace agents {

BOOST_DEFINE_ENUM_CLASS(Status, pending, provisioning, running, stopping, stopped, error, deleting)

inline constexpr auto default_model = "auto";     // whatever the box has
inline constexpr auto runtime_version = "0.1.0";  // of the agent inside this binary

// What the owner wants. The provisioner works until the agent is so; `desired` outlives every crash of the box.
namespace desired {
inline constexpr auto running = "running", stopped = "stopped", removed = "removed";
}

inline constexpr auto unspecialized = "general";

// What a clone comes from.
struct Descent {
  std::string parent;          // the agent's id; it may be gone by now
  std::string specialization;  // a word that the agent is told, but for `unspecialized`
  std::int64_t generation = 2;
};
BOOST_DESCRIBE_STRUCT(Descent, (), (parent, specialization, generation))

struct Agent {
  std::int64_t owner = 0;  // 0: created through the backend for nobody in particular
  std::string id;          // ag_ and 20 random characters
  std::string name;
  std::optional<std::string>
      deployment;                // the name a deployment made it by; unique for its owner, free once it is deleted
  std::string subdomain;         // [a-z0-9-]{1,40}: from the name, with a random end; unique
  std::string model;             // "auto": the box's default
  std::string image;             // of its container; empty: the box's
  std::string plan, tier;        // label, solo, ...; the tier as asked for, or empty
  boost::json::object config;    // without its secrets: config_secrets.h
  store::Sealed config_secrets;  // the text of a JSON object; empty: none
  Status status = Status::pending;
  std::string status_reason;  // a sentence; empty while all is well
  std::string desired = agents::desired::stopped;
  std::optional<std::int64_t> port;  // of the gateway on 127.0.0.1; unique
  store::Sealed gateway_token;       // what callers of the agent present
  store::Sealed box_token;           // what the agent presents to the backend
  std::string box_token_hash;        // SHA-256 of it in hex; unique
  std::string runtime_version;       // of the binary that started it last
  bool verified = false;
  std::optional<std::string> verification_type, attestation_uid, verifier_address;
  std::optional<boost::json::object> verification_metadata;
  std::optional<store::Time> verified_at, started_at;
  std::optional<Descent> descent;  // of clones
  store::Time created_at, updated_at;
};
BOOST_DESCRIBE_STRUCT(Agent, (),
                      (owner, id, name, deployment, subdomain, model, image, plan, tier, config, config_secrets, status,
                       status_reason, desired, port, gateway_token, box_token, box_token_hash, runtime_version,
                       verified, verification_type, attestation_uid, verifier_address, verification_metadata,
                       verified_at, started_at, descent, created_at, updated_at))

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

// The same rows, read for lists only: what a list shows, without unsealing tokens. Never written through.
struct AgentSummary {
  std::int64_t owner = 0;
  std::string id, name, subdomain, model;
  Status status = Status::pending;
  store::Time created_at, updated_at;
};
BOOST_DESCRIBE_STRUCT(AgentSummary, (), (owner, id, name, subdomain, model, status, created_at, updated_at))

inline const store::Owned<AgentSummary> summaries{records.name, &AgentSummary::owner, &AgentSummary::id, {}};

// kill and revive are the watchdog's: end the process of an agent that is still wanted, bring it up again.
BOOST_DEFINE_ENUM_CLASS(Action, start, stop, restart, remove, kill, revive, update)

// False for what ends with the agent not running.
constexpr bool brings_up(Action action) {
  return action != Action::stop && action != Action::remove && action != Action::kill;
}

// Work on one agent that has been promised and not yet done. There is at most one an agent: a newer wish replaces it.
struct Job {
  std::string agent;
  std::int64_t owner = 0;
  Action action = Action::start;
  bool forgets = false;                 // before that it is stopped, and what it remembers is removed
  std::string image;                    // update: what it is to run from now on, as Agent::image
  std::optional<std::string> previous;  // update, once it has begun: what it ran before, to go back to
  std::string reason;                   // stop: why, as Agent::status_reason afterwards
  store::Time created_at;
};
BOOST_DESCRIBE_STRUCT(Job, (), (agent, owner, action, forgets, image, previous, reason, created_at))

inline const store::Global<Job> jobs{{.family = "agent_jobs", .number = 31}, &Job::agent, {}};

// Counter of a user: agents that exist, whatever their status.
inline const store::CounterName count{"agents"};

}  // namespace agents
