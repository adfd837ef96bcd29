// Agents as their owners and the backend see them: create, list, start, stop, delete; the rules of plans and limits.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/foundation/settings/settings.h"
#include "appliance/hosting/agents/config_check.h"
#include "appliance/hosting/agents/host_access.h"
#include "appliance/hosting/agents/provisioning/ports.h"
#include "appliance/hosting/agents/provisioning/provisioner.h"
#include "appliance/hosting/agents/provisioning/supervision.h"
#include "appliance/hosting/agents/records.h"
#include "web/server.h"

namespace agents {

// Where the listeners really are: "http://127.0.0.1:3000". `web` is BASE_URL when that is set.
struct Addresses {
  std::string web, backend, summarizer;
};

struct NewAgent {
  std::string name;
  std::string model;  // empty: the box's default
  boost::json::object config;
  std::string tier;            // web: starter, pro, enterprise, or empty
  std::string plan;            // backend: empty is label
  bool is_deployment = false;  // its owner has no other of this name that is one: conflict
};

struct Changes {
  std::optional<std::string> plan, ai_provider;
  std::optional<boost::json::object> config;
};

// What an agent is said to be; see the contract's verification types.
struct Verification {
  bool verified = false;
  std::optional<std::string> type, attestation_uid, verifier_address;  // no type: verification is removed
  std::optional<boost::json::object> metadata;
};

// How many agents one may have, and what it is called when there are so many: AGENT_LIMIT_REACHED with `current` and
// `limit`.
struct Allowance {
  std::optional<int> agents;  // nothing: as many as one likes
  web::Kind refusal = web::Kind::too_many;
};

// Adds to the commit that makes or changes an agent, or refuses it. May run several times.
using Also = std::function<web::Result<void>(store::Change&)>;

class Agents {
 public:
  // `files` runs what blocks on the disk. All of them must outlive this.
  Agents(store::System, runtime::Engine&, billing::Subscriptions&, const agentbox::Settings&, web::IoPool&,
         boost::asio::thread_pool& files, std::chrono::milliseconds ready_deadline = healthy_within);
  ~Agents();  // after stop(), or with the pool stopped

  // After Server::listen, before IoPool::start.
  void set_addresses(Addresses);
  // Which models a config may name; unless it is called, all. Before start().
  void when_asked_for_a_model(KnowsModel knows) { knows_model_ = std::move(knows); }
  // See Provisioner. Before start().
  void when_removed(std::function<web::Task<>(store::UserId, std::string agent)> cleanup);
  // Recovery: running agents are adopted, those that should run are started, jobs that were left go on.
  web::Task<> start();
  // Before start(), when none can be adopted: those that should run are `provisioning` from now on, for this reason.
  web::Task<> expect_start(std::string reason);
  // Waits for the work at hand; agents go on running.
  web::Task<> stop();

  // The web's provisioning. unavailable: kill switch. payment_required: no active subscription, or the tier is above
  // it. invalid: unknown tier. too_many with `current` and `limit`: the tier's number of agents is reached.
  web::Task<web::Result<Agent>> provision(const web::Caller&, NewAgent);
  // One that is started at once, whoever may have it. unavailable: kill switch, or no port is left; invalid.
  web::Task<web::Result<Agent>> launch(store::UserId owner, NewAgent, billing::Plan, Allowance, Also = {});
  // Another one like the caller's own `descent.parent`: its model and its config with the secrets, in an empty
  // workspace. Also not_found; payment_required without a subscription; too_many at the plan's number of agents.
  web::Task<web::Result<Agent>> clone(const web::Caller&, std::string name, Descent, Also);
  // The backend's creation: `pending`, without plan rules; it runs once it is started. unavailable: kill switch, or no
  // port is left; invalid.
  web::Task<web::Result<Agent>> create(store::UserId owner, NewAgent);
  // Plan, provider and config of an agent; a model that the config names is its model from its next start on.
  // not_found, invalid.
  web::Task<web::Result<Agent>> change(store::UserId owner, std::string id, Changes, Also = {});
  // For what somebody asks for by a session and leaves behind: see accounts::grant. Refuses with unauthenticated.
  Also granted_to(const web::Caller&) const;
  // Jobs of these agents that were committed elsewhere begin.
  void take_up_jobs(store::UserId owner);

  bool is_user(store::UserId) const;
  std::vector<AgentSummary> list(store::UserId) const;
  std::uint64_t version(store::UserId) const;  // while it stays the same, so does the list (store::Tenant::version)
  std::vector<AgentSummary> list_all(std::size_t limit) const;
  std::optional<Agent> find(store::UserId owner, std::string_view id) const;
  std::optional<Agent> find(std::string_view id) const;  // whoever owns it: for the backend
  // `id_or_user` is an agent of this user, or the user's own id when there is just one agent. not_found; invalid when
  // there are several.
  web::Result<Agent> resolve(store::UserId, std::string_view id_or_user) const;

  // Done when they return: `running` or `stopped`. internal with the engine's reason when it fails, also with the kill
  // switch on; conflict when somebody asked for the opposite meanwhile; not_found.
  web::Task<web::Result<Agent>> start_agent(store::UserId owner, std::string id);
  // The same, done soon after it returns.
  web::Task<web::Result<Agent>> begin_start(store::UserId owner, std::string id);
  web::Task<web::Result<Agent>> stop_agent(store::UserId owner, std::string id);
  web::Task<web::Result<Agent>> restart_agent(store::UserId owner, std::string id);
  // Begins the watchdog's sequence (kill, pause, start, pause, verify) and returns; how it goes stands in watch(). Also
  // conflict, while something else is being done to the agent.
  web::Task<web::Result<Agent>> repair_agent(store::UserId owner, std::string id);
  // Runs it anew in the same workspace, as a container from `image` (empty: the box's) as it is now, as a process from
  // the box's binary as it is now. internal when that does not get ready: what ran before then runs again, if it can.
  // Also invalid: an image where agents are processes.
  web::Task<web::Result<Agent>> update_agent(store::UserId owner, std::string id, std::string image);
  // Suspends while the agent is about to run: started, restarted, updated, repaired.
  web::Task<> until_settled(store::UserId owner, std::string id, std::chrono::seconds at_most = healthy_within);
  // Stops it and removes everything it has. When something cannot be removed the job stays
  // and is tried again once its engine answers, or at the next start of the box. not_found: this owner has none of this
  // id.
  web::Task<web::Result<void>> remove(store::UserId owner, std::string id);

  // not_found, invalid.
  web::Task<web::Result<Agent>> verify(store::UserId owner, std::string id, Verification);
  // The agent forgets its conversation and what it remembers; its files stay. Stops it meanwhile; one that ran runs
  // again afterwards, also when the box dies in between. not_found, internal.
  web::Task<web::Result<Agent>> reset_memory(store::UserId owner, std::string id);

  web::Task<web::Result<runtime::Instance>> instance(const Agent&);
  // By the contract's table: what the engine says, or where it does not look itself whether the gateway answers now.
  web::Task<runtime::Health> health(const Agent&, const web::Result<runtime::Instance>&);
  // What the watchdog makes of it.
  web::Task<watchdog::Watch> watch(const Agent&);
  // conflict while the agent does not run; unavailable while its engine does not answer.
  web::Task<web::Result<runtime::InstanceStats>> stats(const Agent&);

  // For the agent_token guard; nothing for an unknown token.
  std::optional<web::Caller> caller_of_box_token(std::string_view token) const;
  // http(s)://<subdomain>.<domain>:<web port>, and the same with ws and /ws.
  std::string url(std::string_view subdomain) const;
  std::string websocket_url(std::string_view subdomain) const;
  // Through whom an agent's config wants its models asked; empty: as the box would. Also for an unknown agent.
  std::string ai_provider(std::string_view id) const;
  // Where the console sends the browser so that it gets that host's cookie.
  std::string open_url(const Agent&, const web::Caller&);
  web::HostRouter host_router();
  // See HostAccess::refuse_when.
  void refuse_at_hosts_when(std::function<bool(const accounts::User&)> is_refused) {
    access_.refuse_when(std::move(is_refused));
  }

 private:
  web::Result<void> check(const NewAgent&) const;
  web::Task<web::Result<Agent>> insert(Agent, Allowance, bool run, Also = {});
  web::Task<web::Result<Agent>> begin(store::UserId owner, Job);
  web::Task<web::Result<Agent>> carry_out(store::UserId owner, Job);

  store::System system_;
  runtime::Engine& engine_;
  billing::Subscriptions& subscriptions_;
  const agentbox::Settings& settings_;
  KnowsModel knows_model_;
  std::string authority_;  // ".localhost:3000": what follows the subdomain
  bool secure_ = false;
  Ports ports_;
  HostAccess access_;
  Provisioner provisioner_;
  Supervision supervision_;
};

}  // namespace agents
