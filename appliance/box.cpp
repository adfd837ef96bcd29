#include "appliance/box.h"

#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/json.hpp>
#include <iostream>

#include "appliance/accounts/routes.h"
#include "appliance/agent_actions/routes.h"
#include "appliance/agents/new_owner.h"
#include "appliance/agents/routes/routes.h"
#include "appliance/ai/builtin.h"
#include "appliance/ai/openai_wire.h"
#include "appliance/ai/routes.h"
#include "appliance/billing/cap_routes.h"
#include "appliance/billing/gate.h"
#include "appliance/billing/routes.h"
#include "appliance/chat/chat.h"
#include "appliance/cloning/routes.h"
#include "appliance/console/routes.h"
#include "appliance/data_folder.h"
#include "appliance/deployments/routes.h"
#include "appliance/engine_choice.h"
#include "appliance/explorer/routes.h"
#include "appliance/former_engine.h"
#include "appliance/health/gauges.h"
#include "appliance/health/routes.h"
#include "appliance/heartbeat/routes.h"
#include "appliance/installations/routes.h"
#include "appliance/keys/routes.h"
#include "appliance/logs/routes.h"
#include "appliance/maintenance/routes.h"
#include "appliance/memory/memory.h"
#include "appliance/mpp/routes.h"
#include "appliance/periodic.h"
#include "appliance/redaction.h"
#include "appliance/resident_memory.h"
#include "appliance/schedule/schedule.h"
#include "appliance/summarizer_child.h"
#include "appliance/uploads/uploads.h"
#include "appliance/usage/name_sweep.h"
#include "appliance/usage/routes.h"
#include "appliance/version.h"
#include "appliance/ways_in.h"
#include "summarizer/options.h"
#include "web/log.h"
#include "web/loop_watchdog.h"
#include "web/metrics.h"
#include "web/server.h"

namespace agentbox {

namespace {

using namespace std::chrono_literals;

constexpr auto drain_deadline = 10s;
constexpr auto prompts_grace = 5s;  // for scheduled runs at work; those cut off are made up by the next box
constexpr auto calls_grace = 2s;    // for model calls to be settled; those cut off are by the next box
constexpr auto same_wish = 1s;      // some supervisors signal a process and then its group: that is asking once
constexpr unsigned blocking_threads = 2;

Settings prepared(Settings settings) {
  DataFolder(settings.data).prepare();
  settings.data = std::filesystem::absolute(settings.data).lexically_normal();
  return settings;
}

unsigned network_threads(const Settings& settings) {
  return settings.threads > 0 ? settings.threads : std::max(1u, std::thread::hardware_concurrency());
}

explorer::Options explorer_options(const Settings& settings, const DataFolder& folder,
                                   const explorer::GitHosts& git_hosts) {
  explorer::Options options{.root = settings.browse_root,
                            .author = {.name = settings.git_author_name, .email = settings.git_author_email},
                            .find_credential = [&git_hosts](const auto& origin) { return git_hosts.find(origin); },
                            .remote_time = settings.git_remote_timeout};
  if (options.root.empty()) {
    options.root = folder.agents();
    std::filesystem::create_directories(options.root);
  }
  return options;
}

// An address that a program on this machine can connect to: a listener on every address is reached by loopback.
std::string reachable(std::string url) {
  for (const std::string_view wildcard : {"//0.0.0.0:", "//[::]:"})
    if (const auto at = url.find(wildcard); at != std::string::npos) url.replace(at, wildcard.size(), "//127.0.0.1:");
  return url;
}

struct Endpoints {
  std::string web, backend, summarizer;
};

std::string ready_line(const Endpoints& endpoints) {
  const boost::json::object line{
      {"event", "ready"}, {"web", endpoints.web}, {"backend", endpoints.backend}, {"summarizer", endpoints.summarizer}};
  return boost::json::serialize(line) + "\n";
}

std::string reason(std::exception_ptr failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "unknown";
  }
}

// The handlers' exceptions that have a cause to tell.
std::optional<web::Error> explain(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const store::Unavailable& error) {
    return web::unavailable(redact_paths(error.what()), error.what());
  } catch (const store::Corrupt& error) {
    return web::unavailable("What the store holds for this is damaged: the box's log says where and what to do",
                            error.what());
  } catch (...) {
    return std::nullopt;
  }
}

// The same for the box's operators, who hold the internal key.
std::optional<web::Error> explain_fully(std::exception_ptr thrown) {
  auto error = explain(std::move(thrown));
  if (error) error->message = error->detail;
  return error;
}

void tell_trouble(const std::string& sentence) { web::log::error("store_trouble", {{"reason", sentence}}); }

bool csrf_valid(const web::Request& request, std::string_view token) {
  return accounts::Sessions::csrf_token_valid(request, token);
}

// A share of the descriptors this process may open.
std::size_t connections(double share) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  return std::min<std::size_t>(web::Limits{}.connections,
                               static_cast<std::size_t>(static_cast<double>(files.rlim_cur) * share));
}

}  // namespace

// Destroyed from the last to the first: listeners before the services their handlers use, services before the store.
struct Box::Parts {
  explicit Parts(Settings given) : settings(std::move(given)) {}

  const Settings settings;
  const DataFolder folder{settings.data};

  web::IoPool network{network_threads(settings)};
  web::LoopWatchdog loop_watchdog{network};
  boost::asio::io_context& home = network.at(0);        // where background work and the engine live
  boost::asio::thread_pool blocking{blocking_threads};  // files, libgit2, whole-table reads

  std::unique_ptr<store::Store> store = open_store(settings, Access::write, tell_trouble);
  store::System system = store->system();

  // People.
  accounts::PasswordHasher hasher;
  accounts::Sessions sessions{system};
  accounts::LoginLimit login_limit{{}, settings.rate_limits};
  accounts::Accounts accounts{system, hasher, sessions, login_limit, settings.admin_emails};
  keys::Keys keys{system};
  billing::Subscriptions subscriptions{system};

  // Models, agents, conversations.
  usage::Ledger ledger{system};
  usage::NameSweep name_sweep{system, blocking};
  billing::Caps caps{system};
  billing::Gate gate{accounts, keys, subscriptions, caps, ledger, settings.admin_emails};
  ai::Catalogues catalogues{folder.catalogue_file()};
  ai::ProviderKeys provider_keys{system};
  ai::AnswerCache answer_cache{system};
  ai::Ai ai{settings, ledger, gate, catalogues, provider_keys, answer_cache};
  const EngineChoice choice = chosen_engine(settings);
  std::unique_ptr<runtime::Engine> engine = engine_named(choice.name);
  FormerEngine former_engine{folder.engine_note(), engine->name(),
                             [this](std::string_view name) { return engine_named(name); }};
  agents::Agents agents{system, *engine, subscriptions, settings, network, blocking};
  deployments::Deployments deployments{agents, subscriptions};
  cloning::PaymentLookup clone_payments{settings.payment_rpc_url, settings.payment_receiver,
                                        settings.payment_token_address};
  logs::Hub log_hub{*engine, home};
  chat::Chat chat{system, agents};
  schedule::Schedule schedule{system, subscriptions, schedule::through(system, chat), home};
  heartbeat::Heartbeats heartbeats{system, schedule.tasks, schedule.zones};
  memory::Memories memories{agents, folder.agents(), blocking};
  uploads::Uploads uploads{agents, folder.agents(), blocking};
  mpp::Wallets wallets{system};
  installations::Installations installations{system, settings.installation_heartbeat_interval};
  explorer::GitHosts git_hosts{system};
  explorer::Explorer explorer{explorer_options(settings, folder, git_hosts),
                              [this](std::string_view agent) { return workspace_of(agent); }};

  // The box itself.
  health::HostMeter host;
  health::DockerProbe docker{settings.docker_host};
  Periodic session_sweep{home, "sessions", 10min, [this]() -> web::Task<> { co_await sessions.sweep(store::now()); }};
  Periodic key_uses{home, "key uses", 30s, [this] { return keys.flush_uses(); }};
  Periodic old_names{home, "usage names", 24h, [this]() -> web::Task<> { co_await name_sweep.run(store::now()); }};
  Periodic docker_probe{home, "docker", 15s, [this] { return docker.ask(); }};

  const Guards guards =
      make_guards({.sessions = sessions,
                   .accounts = accounts,
                   .keys = keys,
                   .internal_api_key = settings.internal_api_key,
                   .agent_of = [this](std::string_view token) { return agents.caller_of_box_token(token); },
                   .on_wrong_key =
                       [this](const web::Request& request) {
                         ways_in.refusals().count(request, "internal key refused", "Forbidden");
                       },
                   .must_enrol = [this](const accounts::User& user) { return must_enrol(user); }});

  const web::Guard model_guard = ai::model_guard(guards);
  const ai::ProviderOf provider_of = [this](std::string_view agent) { return agents.ai_provider(agent); };

  WaysIn ways_in{{settings, system, accounts, sessions, keys, guards, home, blocking, folder.master_key(settings),
                  [this](const accounts::User& user) { return must_enrol(user); }}};

  web::Server server{network};

  bool must_enrol(const accounts::User& user) {
    return settings.admin_second_factor && accounts.is_admin(user) && !ways_in.second_factor().is_on(user.id);
  }
  std::optional<std::filesystem::path> workspace_of(std::string_view agent) const {
    if (!agents.find(agent)) return std::nullopt;
    return folder.agents() / agent / "workspace";
  }
  // Whoever reads along with their logs does so no longer.
  void agents_changed_hands(store::UserId user) {
    for (const auto& line : agents.list(user)) log_hub.end(line.id, std::nullopt);
    agents.take_up_jobs(user);
  }
  // What is due finds the agents up.
  std::unique_ptr<runtime::Engine> engine_named(std::string_view name) {
    return make_engine(name, settings, home, blocking,
                       [this](std::string gateway) { return open_door(std::move(gateway)); });
  }
  web::Task<> start_agents() {
    if (former_engine.is_another()) co_await agents.expect_start("It moves to another engine.");
    std::vector<std::string> all;
    for (auto& line : agents.list_all(std::size_t(-1))) all.push_back(std::move(line.id));
    co_await former_engine.end_agents(std::move(all));
    co_await agents.start();
    co_await schedule.scheduler.start();
  }
  accounts::RouteServices people() {
    return {accounts, sessions,        subscriptions,           guards,
            blocking, ways_in.audit(), ways_in.second_factor(), ways_in.entrance()};
  }
  health::RouteParts vitals() {
    auto store_problem = [this] {
      auto reason = store->read_only_reason();
      if (reason) reason = redact_paths(*reason);
      return reason;
    };
    auto stalled_loops = [this] { return loop_watchdog.stalled(); };
    return {host, docker, settings.provisioning_enabled, std::move(store_problem), std::move(stalled_loops), guards};
  }
  billing::CapRouteParts spending() {
    return {caps,
            ledger,
            [this](store::UserId user) { return accounts.find(user).has_value(); },
            [this](store::UserId user, std::string_view agent) { return agents.find(user, agent).has_value(); },
            [this](store::UserId user, std::string_view key) { return keys.find(user, key) != nullptr; },
            [this](store::UserId user) {
              const auto payer = gate.payer_of(web::Caller{.user_id = user});
              return payer ? std::optional(payer->plan) : std::nullopt;
            },
            guards};
  }
  ai::BillingParts charging() {
    return {accounts, subscriptions, gate, ledger, provider_keys, ways_in.audit(), guards};
  }
  maintenance::Parts upkeep() {
    return {*store, blocking, key_fingerprint(folder.master_key(settings)), ways_in.audit(), guards};
  }
  deployments::Parts deploying() {
    return {deployments, agents,
            [this](store::UserId user) {
              const auto found = accounts.find(user);
              return found && accounts.is_admin(*found);
            },
            guards};
  }
  logs::Parts logging() { return {log_hub, *engine, agents, guards}; }
  installations::Parts enrolment() {
    return {installations, subscriptions, [this] { return web_url; }, guards};
  }
  web::ListenerOptions listener(std::string name, std::string listen, double share_of_descriptors) const;
  std::string open_door(std::string gateway);
  web::ListenerOptions door(std::string listen);
  web::ProxyTarget summarizer_for(const web::Request&) const;

  std::string web_url;                         // where people find the box
  std::optional<web::ProxyTarget> summarizer;  // set before anything listens
  std::string door_gateway;                    // empty: not open
};

std::vector<web::Route> Box::web_routes() const {
  auto& parts = *parts_;
  std::vector<web::Route> table;
  web::append(table, console::routes(parts.guards));
  web::append(table, accounts::web_routes(parts.people()));
  web::append(table, accounts::session_routes(parts.people()));
  web::append(table, parts.ways_in.web_routes());
  web::append(table, keys::routes(parts.keys, parts.subscriptions, parts.ledger, parts.ways_in.audit(), parts.guards));
  web::append(table, agents::web_routes(parts.agents, parts.guards));
  web::append(table, agents::web_lifecycle_routes(parts.agents, parts.guards));
  web::append(table, agents::web_detail_routes(parts.agents, parts.guards));
  web::append(table, deployments::web_routes(parts.deploying()));
  web::append(table, cloning::web_routes(parts.agents, parts.clone_payments, parts.system, parts.guards));
  web::append(table, logs::web_routes(parts.logging()));
  web::append(table, agent_actions::web_routes(parts.agents, parts.chat, parts.guards));
  web::append(table, mpp::web_routes(parts.wallets, parts.guards));
  web::append(table, billing::web_routes(parts.accounts, parts.guards));
  web::append(table, billing::cap_web_routes(parts.spending()));
  web::append(table, ai::web_routes(parts.ai, parts.settings, parts.guards));
  web::append(table, ai::own_key_routes(parts.provider_keys, parts.ways_in.audit(), parts.guards));
  web::append(table, ai::billing_routes(parts.charging()));
  web::append(table, usage::web_routes(parts.ledger, parts.guards));
  web::append(table, chat::web_routes(parts.chat, parts.guards));
  web::append(table, memory::web_routes(parts.memories, parts.guards));
  web::append(table, uploads::web_routes(parts.uploads, parts.guards));
  web::append(table, schedule::web_routes(parts.schedule, parts.guards));
  web::append(table, heartbeat::web_routes(parts.heartbeats, parts.guards));
  web::append(table, health::routes(parts.vitals()));
  return table;
}

std::vector<web::Route> Box::backend_routes() const {
  auto& parts = *parts_;
  std::vector<web::Route> table;
  web::append(table, agents::backend_routes(parts.agents, parts.guards));
  web::append(table, agents::backend_lifecycle_routes(parts.agents, parts.guards));
  web::append(table, agents::backend_detail_routes(parts.agents, parts.guards));
  web::append(table, deployments::backend_routes(parts.deploying()));
  web::append(table, logs::backend_routes(parts.logging()));
  web::append(table, chat::backend_routes(parts.chat, parts.agents, parts.guards));
  web::append(table, schedule::backend_routes(parts.schedule, parts.guards));
  web::append(table, installations::backend_routes(parts.enrolment()));
  web::append(table, billing::routes(parts.subscriptions, parts.ways_in.audit(), parts.guards));
  web::append(table, billing::cap_admin_routes(parts.spending()));
  web::append(table, ai::openai_routes(parts.ai, parts.model_guard, parts.provider_of));
  web::append(table, ai::api_routes(parts.ai, parts.guards));
  web::append(table, usage::routes(parts.ledger, parts.spending().is_user, parts.guards));
  web::append(table, explorer::routes(parts.explorer, parts.guards));
  web::append(table, explorer::admin_routes(parts.git_hosts, parts.ways_in.audit(), parts.guards));
  web::append(table, accounts::admin_routes(parts.people()));
  web::append(table, parts.ways_in.backend_routes());
  web::append(table, maintenance::routes(parts.upkeep()));
  web::append(table, health::routes(parts.vitals()));
  web::append(table, health::metrics_routes(parts.guards));
  return table;
}

Box::Box(Settings settings) : parts_(std::make_unique<Parts>(prepared(std::move(settings)))) {
  parts_->agents.when_removed(
      [&chat = parts_->chat](store::UserId user, std::string agent) { return chat.forget(user, std::move(agent)); });
  parts_->agents.when_removed(
      [&caps = parts_->caps](store::UserId user, std::string agent) { return caps.forget(user, std::move(agent)); });
  parts_->agents.when_removed([&hub = parts_->log_hub](store::UserId, std::string agent) -> web::Task<> {
    hub.end(agent, std::nullopt);
    co_return;
  });
  parts_->agents.when_removed([&tasks = parts_->schedule.tasks](store::UserId user, std::string agent) {
    return tasks.forget(user, std::move(agent));
  });
  parts_->agents.when_asked_for_a_model([parts = parts_.get()](std::string_view name) {
    // What the local server has is its own affair.
    const bool is_anything = !parts->settings.local_model_url.empty();
    return is_anything || name == ai::builtin_model || parts->catalogues.current()->find(name);
  });
  parts_->ways_in.identities().also_hand_over(
      {.hand_over = [system = parts_->system](store::UserId user,
                                              store::Change& change) { agents::hand_over(system, user, change); },
       .handed_over = [parts = parts_.get()](store::UserId user) { parts->agents_changed_hands(user); }});
  parts_->agents.refuse_at_hosts_when(
      [parts = parts_.get()](const accounts::User& user) { return parts->must_enrol(user); });
}

Box::~Box() {
  parts_->network.stop();
  parts_->blocking.join();
}

web::ListenerOptions Box::Parts::listener(std::string name, std::string listen, double share_of_descriptors) const {
  web::ListenerOptions options{.name = std::move(name), .listen = std::move(listen)};
  options.version = version;
  options.trusted_proxies = settings.trusted_proxies;
  options.rate_limits = settings.rate_limits;
  options.limits.idle_time = settings.idle_timeout;
  options.limits.connections = connections(share_of_descriptors);
  options.explain = explain;
  return options;
}

// Agents in containers cannot reach a loopback address: for them the box listens on the gateway of their network, with
// what an agent's token opens and the summarizer. On the backend's port where that is free, so that agents that are
// running find the next box there.
std::string Box::Parts::open_door(std::string gateway) {
  if (door_gateway == gateway) return server.url("agents");
  if (!door_gateway.empty())
    throw std::runtime_error("their network's gateway was " + door_gateway + " and is now " + gateway +
                             ": restart the box");
  const auto backend = server.url("backend");
  const auto wanted = gateway + backend.substr(backend.rfind(':'));
  try {
    server.listen(door(wanted));
  } catch (const std::runtime_error& taken) {
    web::log::info("door_on_another_port", {{"reason", std::string(taken.what())}});
    server.listen(door(gateway + ":0"));
  }
  door_gateway = std::move(gateway);
  return server.url("agents");
}

web::ListenerOptions Box::Parts::door(std::string listen) {
  auto options = listener("agents", std::move(listen), 0.0625);
  web::append(options.routes, ai::openai_routes(ai, guards.agent_token, provider_of));
  options.error_forms = {ai::openai::error_form()};
  options.host_router = [this](const web::Request& request) {
    std::optional<web::Result<web::ProxyTarget>> where;
    if (request.path == "/api/summarize" || request.path == "/api/extract") where = summarizer_for(request);
    return where;
  };
  return options;
}

// Agents that are processes share one address, so they are told apart by the token they bring.
web::ProxyTarget Box::Parts::summarizer_for(const web::Request& request) const {
  auto target = *summarizer;
  if (const auto caller = guards.agent_token.admit(request))
    target.headers.emplace_back(::summarizer::visitor_header, caller->agent);
  return target;
}

void Box::listen() {
  auto& parts = *parts_;
  auto web = parts.listener("web", parts.settings.web_listen, 0.75);
  web.routes = web_routes();
  web.browser = true;
  web.csrf_valid = csrf_valid;
  web.host_router = parts.agents.host_router();
  if (!parts.settings.tls_cert.empty()) web.tls = web::TlsFiles{parts.settings.tls_cert, parts.settings.tls_key};
  parts.server.listen(std::move(web));

  auto backend = parts.listener("backend", parts.settings.backend_listen, 0.125);
  backend.routes = backend_routes();
  backend.explain = explain_fully;
  backend.error_forms = {ai::openai::error_form()};
  backend.base_rate = web::RateLimit{.group = "backend", .limit = 120};
  parts.server.listen(std::move(backend));

  auto summarizer = parts.listener("summarizer", parts.settings.summarizer_listen, 0.0625);
  summarizer.host_router = [&parts](const web::Request& request) -> std::optional<web::Result<web::ProxyTarget>> {
    return parts.summarizer_for(request);
  };
  parts.server.listen(std::move(summarizer));
}

web::Task<> Box::stop(SummarizerChild& summarizer) {
  auto& parts = *parts_;
  co_await parts.schedule.scheduler.stop(prompts_grace);  // its agents answer through the backend
  co_await parts.log_hub.stop();                          // its streams would have the listeners wait
  co_await parts.server.drain(drain_deadline);
  co_await parts.ai.finish(calls_grace);
  co_await parts.agents.stop();
  co_await parts.session_sweep.stop();
  co_await parts.old_names.stop();
  co_await parts.ways_in.stop();
  co_await parts.docker_probe.stop();
  co_await parts.key_uses.stop();
  try {
    co_await parts.keys.flush_uses();
  } catch (const std::exception& error) {  // a store that is read-only; the box ends in order all the same
    web::log::warning("key uses not written", {{"reason", std::string(error.what())}});
  }
  co_await summarizer.stop();
}

int Box::serve() {
  auto& parts = *parts_;
  if (const auto left = parts.ledger.settle_leftovers(); left > 0)
    web::log::info("interrupted_model_calls_settled", {{"count", static_cast<std::int64_t>(left)}});
  SummarizerChild summarizer(parts.settings);
  parts.summarizer = summarizer.target();
  listen();
  if (!parts.choice.why.empty()) web::log::info("agents_run_as_processes", {{"reason", parts.choice.why}});
  const Endpoints endpoints{.web = parts.server.url("web"),
                            .backend = parts.server.url("backend"),
                            .summarizer = parts.server.url("summarizer")};
  parts.web_url = parts.settings.base_url.empty() ? endpoints.web : parts.settings.base_url;
  while (parts.web_url.ends_with('/')) parts.web_url.pop_back();
  parts.agents.set_addresses(
      {.web = parts.web_url, .backend = reachable(endpoints.backend), .summarizer = reachable(endpoints.summarizer)});
  parts.ways_in.set_listener(endpoints.web);
  health::add_gauges(web::metrics(), *parts.store);
  const std::string ready = ready_line(endpoints);
  write_private_file(parts.folder.endpoints_file(), ready);

  // This thread's own loop: signals are obeyed even while every network thread is busy.
  boost::asio::io_context front{1};
  Signals signals(front, SIGTERM, SIGINT, SIGHUP);
  std::exception_ptr failure;
  boost::asio::co_spawn(front, obey(signals, summarizer), [&](std::exception_ptr thrown) {
    failure = std::move(thrown);
    front.stop();
  });
  boost::asio::co_spawn(parts.home, parts.start_agents(), [](std::exception_ptr thrown) {
    if (thrown) web::log::error("agents could not be started", {{"reason", reason(thrown)}});
  });
  parts.session_sweep.start();
  parts.old_names.start();
  parts.ways_in.start();
  parts.key_uses.start();
  parts.docker_probe.start();
  summarizer.supervise(parts.home);
  parts.network.start();
  parts.loop_watchdog.start();

  std::cout << ready << std::flush;
  give_back_program_pages();
  give_back_freed_memory();
  front.run();
  parts.blocking.join();  // a backup that is under way uses the store; whoever waits for it does so on the network
  parts.network.stop();   // before anything here is unwound: the pool's coroutines refer to it
  parts.loop_watchdog.stop();
  std::error_code gone;
  std::filesystem::remove(parts.folder.endpoints_file(), gone);
  if (failure) std::rethrow_exception(failure);
  web::log::info("stopped");
  return 0;
}

web::Task<> Box::obey(Signals& signals, SummarizerChild& summarizer) {
  for (;;) {
    const int signal = co_await signals.async_wait(web::use_task);
    if (signal != SIGHUP) break;
    boost::asio::post(parts_->home, [parts = parts_.get()] { parts->server.reload_tls(); });
  }
  web::log::info("stopping");
  parts_->loop_watchdog.expect_end();
  boost::asio::co_spawn(co_await boost::asio::this_coro::executor, end_at_once(signals), boost::asio::detached);
  co_await boost::asio::co_spawn(parts_->home, stop(summarizer), web::use_task);
}

// Whoever asks a second time does not want to wait. What is on disk is as after a crash: whole.
web::Task<> Box::end_at_once(Signals& signals) {
  const auto first = std::chrono::steady_clock::now();
  for (;;) {
    const int signal = co_await signals.async_wait(web::use_task);
    if (signal != SIGHUP && std::chrono::steady_clock::now() - first >= same_wish) std::_Exit(128 + signal);
  }
}

}  // namespace agentbox
