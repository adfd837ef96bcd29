#include "appliance/hosting/agents/agents.h"

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>

#include "appliance/billing/subscriptions/plan_choice.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/agents/account_claim.h"
#include "appliance/hosting/agents/config_secrets.h"
#include "appliance/hosting/watchdog/probe.h"
#include "appliance/identity/accounts/credential_epoch.h"
#include "appliance/identity/accounts/records.h"
#include "web/blank.h"
#include "web/free_form.h"

namespace agents {
namespace {

using web::Error;
using web::Result;
using web::Task;

// Admins are bound by the box, not by a plan.
constexpr int admin_limit = 1000;
constexpr std::size_t largest_config = 64 * 1024;
constexpr std::size_t longest_stem = 24;
constexpr std::chrono::milliseconds pause_between_looks{100};
constexpr std::chrono::seconds patience_with_gateway{2};

ProvisionerOptions options_of(const agentbox::Settings& settings, std::chrono::milliseconds ready_deadline) {
  ProvisionerOptions options;
  options.ready_deadline = ready_deadline;
  options.folder = std::filesystem::absolute(settings.data) / "agents";
  options.start_agents = settings.provisioning_enabled;
  return options;
}

// Letters and digits of the name, everything else a single hyphen, and a random end: nobody guesses or takes a name.
std::string subdomain_for(std::string_view name) {
  std::string stem;
  for (unsigned char c : name) {
    if (stem.size() == longest_stem) break;
    if (c >= 'A' && c <= 'Z') c = static_cast<unsigned char>(c + 32);
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      stem += char(c);
    } else if (!stem.empty() && stem.back() != '-') {
      stem += '-';
    }
  }
  while (!stem.empty() && stem.back() == '-') stem.pop_back();
  return (stem.empty() ? "agent" : stem) + "-" + crypto::random_id(8);
}

Error subscription_required(std::string message) {
  return {.kind = web::Kind::payment_required, .message = std::move(message), .code = "SUBSCRIPTION_REQUIRED"};
}

Error limit_reached(web::Kind kind, std::int64_t current, int limit) {
  return {.kind = kind,
          .message = "You have as many agents as you may have.",
          .code = "AGENT_LIMIT_REACHED",
          .extra = {{"current", current}, {"limit", limit}}};
}

// It becomes a part of paths of the engine's API.
bool is_image_name(std::string_view name) {
  return name.find("..") == std::string_view::npos && !name.starts_with('/') &&
         std::ranges::all_of(name, [](unsigned char c) {
           return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                  std::string_view("._-/:@").find(char(c)) != std::string_view::npos;
         });
}

Error provisioning_is_off() { return web::unavailable("Provisioning is switched off on this box."); }

Error switched_off() {
  return web::internal("Agents cannot be started or stopped while provisioning is switched off on this box.");
}

// The job of another request took this one's place.
Error overtaken(const Agent& agent) {
  return web::conflict("Another request asked for the opposite meanwhile: the agent is " +
                       std::string(boost::describe::enum_to_string(agent.status, "")) + ".");
}

std::string_view text_in(const boost::json::object& config, std::string_view member) {
  const auto* found = config.if_contains(member);
  return found && found->is_string() ? std::string_view(found->get_string()) : std::string_view();
}

void set_config(Agent& agent, boost::json::object wanted) {
  const auto& sealed = agent.config_secrets.clear;
  auto split =
      split_config(std::move(wanted), sealed.empty() ? boost::json::object() : boost::json::parse(sealed).get_object());
  agent.config = std::move(split.shown);
  agent.config_secrets.clear = split.secrets.empty() ? std::string() : boost::json::serialize(split.secrets);
}

Agent fresh(store::UserId owner, NewAgent wanted) {
  Agent agent;
  agent.owner = owner;
  agent.name = std::move(wanted.name);
  if (wanted.is_deployment) agent.deployment = agent.name;
  if (wanted.model.empty()) wanted.model = text_in(wanted.config, "model");
  agent.model = wanted.model.empty() ? default_model : std::move(wanted.model);
  set_config(agent, std::move(wanted.config));
  agent.tier = std::move(wanted.tier);
  agent.runtime_version = runtime_version;
  renew_tokens(agent);
  agent.created_at = agent.updated_at = store::now();
  return agent;
}

}  // namespace

Agents::Agents(store::System system, runtime::Engine& engine, billing::Subscriptions& subscriptions,
               const agentbox::Settings& settings, web::IoPool& pool, boost::asio::thread_pool& files,
               std::chrono::milliseconds ready_deadline)
    : system_(system),
      engine_(engine),
      subscriptions_(subscriptions),
      settings_(settings),
      ports_(system, settings.agent_port_first, settings.agent_port_last),
      access_(system, settings.agent_domain),
      provisioner_(system, engine, ports_, options_of(settings, ready_deadline), pool.next(), files),
      supervision_(system, provisioner_, settings) {}

Agents::~Agents() = default;

void Agents::set_addresses(Addresses addresses) {
  const std::string_view web = addresses.web;
  secure_ = web.starts_with("https://");
  auto host = web.substr(std::min(web.size(), web.find("://") + 3));
  host = host.substr(0, host.find('/'));
  const auto colon = host.rfind(':');
  const bool has_port = colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos;
  authority_ = "." + settings_.agent_domain + std::string(has_port ? host.substr(colon) : std::string_view());
  provisioner_.set_addresses(std::move(addresses.backend), std::move(addresses.summarizer));
}

void Agents::when_removed(std::function<Task<>(store::UserId, std::string)> cleanup) {
  provisioner_.when_removed(std::move(cleanup));
}

Task<> Agents::start() { return provisioner_.start(); }
Task<> Agents::stop() {
  co_await provisioner_.stop();
  co_await supervision_.stop();
}

Task<Result<Agent>> Agents::provision(const web::Caller& caller, NewAgent wanted) {
  if (!settings_.provisioning_enabled) co_return provisioning_is_off();
  if (auto ok = check(wanted); !ok) co_return ok.error();
  auto plan = billing::Plan::label;
  if (!wanted.tier.empty()) {
    auto asked = billing::plan_of_tier(wanted.tier);
    if (!asked) co_return web::invalid("tier must be one of: starter, pro, enterprise");
    plan = *asked;
  }
  if (!caller.admin) {
    auto held = subscriptions_.active(caller.user_id);
    if (!held) co_return subscription_required("An active subscription is required to provision agents.");
    if (!billing::covers(held->plan, plan))
      co_return subscription_required("Your subscription does not include the tier " + wanted.tier + ".");
  }
  const Allowance allowance{.agents = caller.admin ? admin_limit : billing::web_proxy_limit(wanted.tier)};
  co_return co_await launch(caller.user_id, std::move(wanted), plan, allowance, granted_to(caller));
}

Task<Result<Agent>> Agents::launch(store::UserId owner, NewAgent wanted, billing::Plan plan, Allowance allowance,
                                   Also also) {
  if (!settings_.provisioning_enabled) co_return provisioning_is_off();
  if (auto ok = check(wanted); !ok) co_return ok.error();
  auto agent = fresh(owner, std::move(wanted));
  agent.plan = billing::to_string(plan);
  agent.status = Status::provisioning;
  agent.desired = desired::running;
  co_return co_await insert(std::move(agent), allowance, true, std::move(also));
}

Also Agents::granted_to(const web::Caller& caller) const {
  return [system = system_, caller](store::Change& change) {
    return accounts::advance_credential_epoch(system, caller, change);
  };
}

Task<Result<Agent>> Agents::clone(const web::Caller& caller, std::string name, Descent descent, Also also) {
  if (!settings_.provisioning_enabled) co_return provisioning_is_off();
  const auto owner = caller.user_id;
  const auto parent = find(owner, descent.parent);
  if (!parent) co_return web::not_found();
  const auto held = subscriptions_.active(owner);
  if (!held && !caller.admin) co_return subscription_required("An active subscription is required to clone agents.");
  NewAgent wanted{.name = std::move(name), .model = parent->model, .config = {}, .tier = {}, .plan = {}};
  if (auto ok = check(wanted); !ok) co_return ok.error();
  auto agent = fresh(owner, std::move(wanted));
  agent.config = parent->config;
  agent.config_secrets = parent->config_secrets;
  agent.image = parent->image;
  agent.tier = parent->tier;
  agent.plan = parent->plan;
  agent.descent = std::move(descent);
  agent.status = Status::provisioning;
  agent.desired = desired::running;
  const Allowance allowance{.agents = held && !caller.admin ? billing::plan_middleware_limit(held->plan) : admin_limit};
  Also granted = [grant = granted_to(caller), also = std::move(also)](store::Change& change) {
    const auto live = grant(change);
    return live ? also(change) : live;
  };
  co_return co_await insert(std::move(agent), allowance, true, std::move(granted));
}

Task<Result<Agent>> Agents::create(store::UserId owner, NewAgent wanted) {
  if (!settings_.provisioning_enabled) co_return provisioning_is_off();
  if (auto ok = check(wanted); !ok) co_return ok.error();
  const auto plan = billing::plan_of_request(wanted.plan.empty() ? "label" : wanted.plan, "config.plan");
  if (!plan) co_return plan.error();
  auto agent = fresh(owner, std::move(wanted));
  agent.plan = billing::to_string(*plan);
  co_return co_await insert(std::move(agent), {}, false);
}

Result<void> Agents::check(const NewAgent& wanted) const {
  if (web::is_blank(wanted.name)) return web::invalid("name must not be blank");
  if (boost::json::serialize(wanted.config).size() > largest_config)
    return web::invalid("config must be at most 64 KB");
  if (const auto known = read_config(wanted.config, knows_model_); !known) return known.error();
  return check_model(wanted.model, "model", knows_model_);
}

// The record, its job and its place within the limit are one commit: whatever is refused leaves nothing behind.
Task<Result<Agent>> Agents::insert(Agent agent, Allowance allowance, bool run, Also also) {
  for (;;) {
    agent.id = "ag_" + crypto::random_id(20);
    agent.subdomain = subdomain_for(agent.name);
    auto port = ports_.find();
    if (!port) co_return no_free_port();
    agent.port = *port;
    auto change = system_.change();
    change.insert(records, agent);
    if (run) {
      const Job job{.agent = agent.id, .owner = agent.owner, .action = Action::start, .created_at = store::now()};
      change.insert(jobs, job);
    }
    const auto limit = allowance.agents;
    change.add(agent.owner, count, 1, limit ? std::optional<std::int64_t>(*limit) : std::nullopt);
    if (also)
      if (auto added = also(change); !added) co_return added.error();
    auto outcome = co_await change.commit();
    if (outcome.kind == store::Outcome::Kind::over_bound)
      co_return limit_reached(allowance.refusal, system_.counter(agent.owner, count), *limit);
    if (outcome.duplicate("deployment")) co_return web::conflict("This deployment has been made already.");
    if (!outcome.ok()) continue;  // the port, or by a wonder the name, was taken in between
    if (run) provisioner_.notify(agent.id);
    co_return agent;
  }
}

Task<Result<Agent>> Agents::change(store::UserId owner, std::string id, Changes changes, Also also) {
  if (changes.plan)
    if (const auto plan = billing::plan_of_request(*changes.plan, "plan"); !plan) co_return plan.error();
  if (changes.ai_provider)
    if (const auto good = check_provider(*changes.ai_provider, "aiProvider"); !good) co_return good.error();
  if (changes.config && boost::json::serialize(*changes.config).size() > largest_config)
    co_return web::invalid("config must be at most 64 KB");
  if (changes.config)
    if (const auto known = read_config(*changes.config, knows_model_); !known) co_return known.error();
  for (;;) {
    auto row = system_.get(records, owner, id);
    if (!row) co_return web::not_found();
    auto& agent = row->value;
    if (!changes.plan && !changes.config && !changes.ai_provider && !also) co_return std::move(agent);
    if (changes.plan) agent.plan = *changes.plan;
    if (changes.config) set_config(agent, *changes.config);
    if (const auto model = text_in(agent.config, "model"); changes.config && !model.empty()) agent.model = model;
    if (changes.ai_provider) agent.config["aiProvider"] = *changes.ai_provider;
    agent.updated_at = store::now();
    auto change = system_.change();
    change.update(records, *row);
    if (also)
      if (const auto added = also(change); !added) co_return added.error();
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return std::move(agent);
  }
}

void Agents::take_up_jobs(store::UserId owner) {
  for (const AgentSummary& line : list(owner))
    if (system_.get(jobs, line.id)) provisioner_.notify(line.id);
}

Task<> Agents::expect_start(std::string reason) {
  const auto wanted = system_.find(records, "desired", std::string(desired::running), std::size_t(-1));
  for (const Agent& agent : wanted) {
    std::function<void(Agent&)> edit = [&reason](Agent& now) {
      if (now.status != Status::running) return;
      now.status = Status::provisioning;
      now.status_reason = reason;
    };
    co_await system_.modify(records, agent.owner, agent.id, std::move(edit));
  }
}

bool Agents::is_user(store::UserId user) const { return system_.get(accounts::users, user).has_value(); }

std::vector<AgentSummary> Agents::list(store::UserId user) const {
  const store::Page all{.limit = std::size_t(admin_limit)};
  return system_.tenant(user).list(summaries, all);
}

std::uint64_t Agents::version(store::UserId user) const { return system_.tenant(user).version(summaries); }

std::vector<AgentSummary> Agents::list_all(std::size_t limit) const {
  std::vector<AgentSummary> found;
  system_.each<AgentSummary>(summaries, [&](const AgentSummary& line) {
    found.push_back(line);
    return found.size() < limit;
  });
  return found;
}

std::optional<Agent> Agents::find(store::UserId owner, std::string_view id) const {
  auto row = system_.tenant(owner).get(records, id);
  if (!row || row->value.desired == desired::removed) return {};
  return std::move(row->value);
}

std::optional<Agent> Agents::find(std::string_view id) const {
  auto row = system_.find_unique(records, "agent", std::string(id));
  if (!row || row->value.desired == desired::removed) return {};
  return std::move(row->value);
}

Result<Agent> Agents::resolve(store::UserId user, std::string_view id_or_user) const {
  auto id = std::string(id_or_user);
  if (id == std::to_string(user)) {
    const auto own = list(user);
    if (own.size() > 1)
      return web::invalid("You have " + std::to_string(own.size()) + " agents: name the one you mean by its id.");
    id = own.empty() ? std::string() : own.front().id;
  }
  auto agent = find(user, id);
  if (!agent) return web::not_found();
  return std::move(*agent);
}

Task<Result<Agent>> Agents::start_agent(store::UserId owner, std::string id) {
  return carry_out(owner, {.agent = std::move(id), .action = Action::start});
}
Task<Result<Agent>> Agents::begin_start(store::UserId owner, std::string id) {
  return begin(owner, {.agent = std::move(id), .action = Action::start});
}
Task<Result<Agent>> Agents::stop_agent(store::UserId owner, std::string id) {
  return carry_out(owner, {.agent = std::move(id), .action = Action::stop});
}
Task<Result<Agent>> Agents::restart_agent(store::UserId owner, std::string id) {
  return carry_out(owner, {.agent = std::move(id), .action = Action::restart});
}

Task<Result<Agent>> Agents::update_agent(store::UserId owner, std::string id, std::string image) {
  if (!is_image_name(image))
    co_return web::invalid("image must be the name of a container image, such as registry.example/agent:1.2");
  if (!image.empty() && !engine_.has_images())
    co_return web::invalid("image: agents of this box are processes of its own binary and have no image");
  Job job{.agent = std::move(id), .action = Action::update, .image = std::move(image)};
  co_return co_await carry_out(owner, std::move(job));
}

Task<Result<Agent>> Agents::repair_agent(store::UserId owner, std::string id) {
  if (!find(owner, id)) co_return web::not_found();
  if (!settings_.provisioning_enabled) co_return switched_off();
  co_return co_await supervision_.repair(owner, std::move(id));
}

Task<> Agents::until_settled(store::UserId owner, std::string id, std::chrono::seconds at_most) {
  const auto deadline = std::chrono::steady_clock::now() + at_most;
  while (std::chrono::steady_clock::now() < deadline) {
    const auto agent = find(owner, id);
    if (!agent || agent->status != Status::provisioning) co_return;
    co_await web::sleep_for(pause_between_looks);
  }
}

Task<Result<Agent>> Agents::begin(store::UserId owner, Job job) {
  const auto id = job.agent;
  if (!find(owner, id)) co_return web::not_found();
  if (!settings_.provisioning_enabled) co_return switched_off();
  std::function<void(Agent&)> edit = [action = job.action](Agent& agent) {
    agent.status_reason.clear();
    if (action == Action::stop) {
      agent.desired = desired::stopped;
      if (agent.status != Status::stopped) agent.status = Status::stopping;
    } else {
      agent.desired = desired::running;
      if (action != Action::start || agent.status != Status::running) agent.status = Status::provisioning;
    }
  };
  co_return co_await provisioner_.ask(owner, std::move(job), std::move(edit));
}

Task<Result<Agent>> Agents::carry_out(store::UserId owner, Job job) {
  const auto id = job.agent;
  const std::string wanted = job.action == Action::stop ? desired::stopped : desired::running;
  const auto asked = co_await begin(owner, std::move(job));
  if (!asked) co_return asked.error();
  auto done = co_await provisioner_.finished(id);
  if (!done && !done.error().code.empty()) co_return done.error();
  if (!done) co_return web::internal(done.error().message, done.error().detail);
  auto agent = find(owner, id);
  if (!agent) co_return web::not_found();
  if (agent->desired != wanted) co_return overtaken(*agent);
  co_return std::move(*agent);
}

Task<Result<void>> Agents::remove(store::UserId owner, std::string id) {
  std::function<void(Agent&)> edit = [](Agent& agent) {
    agent.desired = desired::removed;
    agent.status = Status::deleting;
    agent.deployment.reset();
  };
  Job job{.agent = id, .action = Action::remove};
  auto asked = co_await provisioner_.ask(owner, std::move(job), std::move(edit));
  if (!asked) co_return asked.error();
  // What cannot be removed now is in the log, and its job is taken up again.
  [[maybe_unused]] const auto done = co_await provisioner_.finished(id);
  co_return Result<void>();
}

Task<Result<Agent>> Agents::verify(store::UserId owner, std::string id, Verification given) {
  if (given.metadata)
    if (const auto kept = web::check_free_form(*given.metadata, "metadata"); !kept) co_return kept.error();
  std::function<void(Agent&)> edit = [given](Agent& agent) {
    agent.verified = given.verified;
    agent.verification_type = given.type;
    agent.attestation_uid = given.attestation_uid;
    agent.verifier_address = given.verifier_address;
    agent.verification_metadata = given.metadata;
    agent.verified_at = given.verified ? std::optional(store::now()) : std::nullopt;
    agent.updated_at = store::now();
  };
  auto edited = co_await system_.modify(records, owner, std::move(id), std::move(edit));
  if (!edited) co_return web::not_found();
  co_return std::move(*edited);
}

Task<Result<Agent>> Agents::reset_memory(store::UserId owner, std::string id) {
  const auto agent = find(owner, id);
  if (!agent) co_return web::not_found();
  const auto then = agent->desired == desired::running ? Action::restart : Action::stop;
  Job job{.agent = std::move(id), .action = then, .forgets = true};
  co_return co_await carry_out(owner, std::move(job));
}

Task<Result<runtime::InstanceStats>> Agents::stats(const Agent& agent) { return engine_.stats(agent.id); }

Task<watchdog::Watch> Agents::watch(const Agent& agent) { return supervision_.look(agent); }

Task<runtime::Health> Agents::health(const Agent& agent, const Result<runtime::Instance>& instance) {
  if (!instance) co_return runtime::Health::unhealthy;
  if (instance->state != runtime::State::running) co_return runtime::Health::stopped;
  if (instance->health) co_return *instance->health;
  const auto answered = co_await watchdog::probe(std::uint16_t(agent.port.value_or(0)), watchdog::Command::check_live,
                                                 patience_with_gateway);
  co_return answered.outcome == watchdog::Outcome::good ? runtime::Health::healthy : runtime::Health::starting;
}

Task<Result<runtime::Instance>> Agents::instance(const Agent& agent) { return engine_.inspect(agent.id); }

std::optional<web::Caller> Agents::caller_of_box_token(std::string_view token) const {
  auto row = system_.find_unique(records, "box_token", crypto::sha256_hex(token));
  if (!row || row->value.desired == desired::removed) return {};
  web::Caller caller;
  caller.user_id = row->value.owner;
  caller.agent = row->value.id;
  caller.credential = "agent:" + row->value.id;
  return caller;
}

std::string Agents::ai_provider(std::string_view id) const {
  const auto agent = find(id);
  return agent ? std::string(text_in(agent->config, "aiProvider")) : std::string();
}

std::string Agents::url(std::string_view subdomain) const {
  return (secure_ ? "https://" : "http://") + std::string(subdomain) + authority_;
}

std::string Agents::websocket_url(std::string_view subdomain) const {
  return (secure_ ? "wss://" : "ws://") + std::string(subdomain) + authority_ + "/ws";
}

std::string Agents::open_url(const Agent& agent, const web::Caller& caller) {
  return url(agent.subdomain) + "/?ticket=" + access_.ticket(agent, caller);
}

web::HostRouter Agents::host_router() {
  return [this](const web::Request& request) { return access_.route(request); };
}

}  // namespace agents
