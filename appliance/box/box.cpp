#include "appliance/box/box.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/json.hpp>
#include <iostream>
#include <mutex>

#include "appliance/box/agent_listener.h"
#include "appliance/box/crash_record.h"
#include "appliance/box/listeners.h"
#include "appliance/box/modules.h"
#include "appliance/box/open_store.h"
#include "appliance/box/resident_memory.h"
#include "appliance/box/signals.h"
#include "appliance/box/start_banner.h"
#include "appliance/box/summarizer_child.h"
#include "appliance/foundation/periodic.h"
#include "appliance/hosting/plan_egress/plan_egress.h"
#include "appliance/identity/accounts/user_search.h"
#include "appliance/network/mcp_server/pages.h"
#include "store/engine_log.h"
#include "summarizer/egress.h"
#include "summarizer/options.h"
#include "web/log.h"

namespace agentbox {

namespace {

using namespace std::chrono_literals;

constexpr auto drain_deadline = 10s;
constexpr auto prompts_grace = 5s;    // for scheduled runs at work; those cut off are made up by the next box
constexpr auto exchanges_grace = 8s;  // of the drain, for answers of agents; the rest is for storing what has arrived
constexpr auto calls_grace = 2s;      // for model calls to be settled; those cut off are by the next box
constexpr unsigned blocking_threads = 2, upload_threads = 2, backup_threads = 1;

Settings prepared(Settings settings) {
  DataFolder(settings.data).prepare();
  settings.data = std::filesystem::absolute(settings.data).lexically_normal();
  return settings;
}

unsigned network_threads(const Settings& settings) {
  return settings.threads > 0 ? settings.threads : std::max(1u, std::thread::hardware_concurrency());
}

void log_trouble(const std::string& sentence) { web::log::error("store_trouble", {{"reason", sentence}}); }

// What the store's engine says while the store is opened waits: if it cannot be opened, the one sentence that says why
// comes first, and the rest is for LOG_LEVEL=debug. Thread-safe.
class EngineMessages {
 public:
  void add(store::EngineSays says, const std::string& message) {
    const std::lock_guard lock(mutex_);
    if (is_opening_)
      held_.emplace_back(says, message);
    else
      write(says == store::EngineSays::error ? Level::error : Level::warning, message);
  }
  void end_opening(bool is_open) {
    const std::lock_guard lock(mutex_);
    is_opening_ = false;
    for (const auto& [says, message] : held_)
      write(!is_open ? Level::debug : says == store::EngineSays::error ? Level::error : Level::warning, message);
    held_.clear();
  }

 private:
  using Level = web::log::Level;
  static void write(Level level, const std::string& message) {
    web::log::write(level, "store_engine", {{"message", message}});
  }

  std::mutex mutex_;
  bool is_opening_ = true;
  std::vector<std::pair<store::EngineSays, std::string>> held_;
};

std::unique_ptr<store::Store> opened_store(const Settings& settings) {
  const auto messages = std::make_shared<EngineMessages>();
  store::set_engine_log([messages](auto says, const auto& message) { messages->add(says, message); });
  try {
    auto store = open_store(settings, Access::write, log_trouble);
    messages->end_opening(true);
    return store;
  } catch (...) {
    messages->end_opening(false);
    throw;
  }
}

// For the banner. The reason is empty if AGENT_RUNTIME names the engine.
std::string where_agents_run(const Settings& settings, const std::string& why_processes) {
  if (settings.agent_runtime == "process") return "as processes: AGENT_RUNTIME is process";
  return why_processes.empty() ? "in containers" : "as processes: " + why_processes;
}

}  // namespace

// Destroyed from the last to the first: listeners before the services their handlers use, services before the store.
struct Box::Parts {
  Parts(Settings given, ActivatedSockets given_sockets, SettingSources given_sources, ServiceManager given_manager)
      : settings(std::move(given)),
        sources(std::move(given_sources)),
        sockets(given_sockets),
        manager(std::move(given_manager)) {}

  const Settings settings;
  const SettingSources sources;
  const ActivatedSockets sockets;
  const ServiceManager manager;
  const DataFolder folder{settings.data};
  web::IoPool network{network_threads(settings)};
  web::LoopWatchdog loop_watchdog{network};
  boost::asio::thread_pool blocking{blocking_threads}, uploads{upload_threads}, backups{backup_threads};
  std::unique_ptr<store::Store> store = opened_store(settings);
  const Platform platform{settings,        folder,  folder.master_key(settings),
                          store->system(), network, network.at(0),
                          blocking,        uploads, backups};

  Modules modules{platform,
                  *store,
                  loop_watchdog,
                  sources,
                  [this](std::string gateway) { return agent_listener.open(std::move(gateway)); },
                  [this] { server.reload_tls(); }};

  web::Server server{network};
  AgentListener agent_listener{server, settings, [this] { return modules.agent_rows(); },
                               [this](const web::Request& request) { return summarizer_for(request, From::agent); }};
  std::optional<web::ProxyTarget> summarizer;  // set before anything listens

  // Agents that are processes share one address, so their tokens identify them. Those in containers have a listener of
  // their own, which nobody else reaches.
  enum class From { agent, anybody };
  web::Result<web::ProxyTarget> summarizer_for(const web::Request& request, From who) {
    auto target = *summarizer;
    const auto caller = modules.identity.guards.agent_token.admit(request);
    if (!caller && who == From::agent) return web::unauthenticated("Send the agent's token with this request");
    if (!caller) return target;
    target.headers.emplace_back(::summarizer::client_id_header, caller->agent);
    const auto agent = modules.hosting.agents.directory.find(caller->agent);
    const auto egress = agent ? plan_egress::egress_of(platform.system, *agent) : agents::Egress();
    if (egress.kind == agents::Egress::Kind::none)
      return web::forbidden("This agent may not fetch pages: its config or its plan has egress none");
    modules.hosting.turns.taint(caller->agent, "a web page");
    if (egress.kind == agents::Egress::Kind::list)
      target.headers.emplace_back(::summarizer::egress_header, ::summarizer::egress_text(egress.hosts));
    return target;
  }
  void listen();
  std::string announce();
  std::string banner();
  // While every network thread returns to its event loop.
  web::Task<> prove_alive() {
    if (loop_watchdog.stalled() == 0) manager.notify("WATCHDOG=1");
    co_return;
  }
  // Waits for work in progress.
  void join_threads() {
    for (auto* threads : {&blocking, &uploads, &backups}) threads->join();
  }
};

Box::Box(Settings settings, ActivatedSockets sockets, SettingSources sources, ServiceManager manager)
    : parts_(std::make_unique<Parts>(prepared(std::move(settings)), sockets, std::move(sources), std::move(manager))) {}

Box::~Box() {
  parts_->network.stop();
  parts_->join_threads();
}

void Box::Parts::listen() {
  auto all = modules.rows();
  auto web = web_listener(settings, std::move(all.web));
  web.host_router = modules.host_router();
  web.challenge = [&site = modules.identity.site](std::string_view path) {
    return path == mcp_server::path ? mcp_server::challenge(site) : std::string();
  };
  web.inherited_socket = sockets.web;
  server.listen(std::move(web));
  if (!settings.http_redirect_listen.empty()) {
    auto redirect = redirect_listener(settings, server.url("web"));
    redirect.inherited_socket = sockets.redirect;
    server.listen(std::move(redirect));
  }
  auto backend = backend_listener(settings, std::move(all.backend));
  backend.inherited_socket = sockets.backend;
  server.listen(std::move(backend));
  auto pages = summarizer_listener(settings);
  pages.inherited_socket = sockets.summarizer;
  pages.host_router = [this](const web::Request& request) -> std::optional<web::Result<web::ProxyTarget>> {
    return summarizer_for(request, From::anybody);
  };
  server.listen(std::move(pages));
}

// Lets every part know where the box listens. Returns the ready line, which is also in the folder's endpoints file.
std::string Box::Parts::announce() {
  const auto web = server.url("web"), backend = server.url("backend"), pages = server.url("summarizer");
  auto web_url = settings.base_url.empty() ? web : settings.base_url;
  while (web_url.ends_with('/')) web_url.pop_back();
  modules.hosting.set_addresses(
      {.web = std::move(web_url), .backend = reachable(backend), .summarizer = reachable(pages)});
  modules.identity.site.set_listener(public_url(web, settings));
  boost::json::object line{{"event", "ready"}, {"web", web}, {"backend", backend}, {"summarizer", pages}};
  if (!settings.http_redirect_listen.empty()) line["redirect"] = server.url("redirect");
  auto text = boost::json::serialize(line) + "\n";
  write_private_file(folder.endpoints_file(), text);
  return text;
}

std::string Box::Parts::banner() {
  const auto admins =
      accounts::search_users(platform.system, modules.identity.accounts, {.text = {}, .is_admin = true, .limit = 1});
  auto web = settings.base_url;
  if (web.empty()) web = modules.identity.site.passkey_origin();
  if (web.empty()) web = reachable(server.url("web"));
  return start_banner({.web = std::move(web),
                       .backend = server.url("backend"),
                       .data = settings.data.string(),
                       .admin = admins.empty() ? std::string() : admins.front().email,
                       .agents = where_agents_run(settings, modules.hosting.why_processes()),
                       .isolation = to_string(modules.hosting.engine->isolation())});
}

int Box::serve() {
  auto& parts = *parts_;
  if (const auto left = parts.modules.billing.ledger.settle_leftovers(); left > 0)
    web::log::info("interrupted_model_calls_settled", {{"count", static_cast<std::int64_t>(left)}});
  SummarizerChild summarizer(parts.settings);
  parts.summarizer = summarizer.target();
  parts.listen();
  if (!parts.modules.hosting.why_processes().empty())
    web::log::info("agents_run_as_processes", {{"reason", parts.modules.hosting.why_processes()}});
  web::log::info("isolation_of_agents", {{"holds", to_string(parts.modules.hosting.engine->isolation())},
                                         {"required", parts.settings.isolation == "required"}});
  warn_of_open_settings(parts.settings);
  const auto ready = parts.announce();

  SignalLoop signals({.home = parts.platform.home,
                      .reload = [&parts] { parts.server.reload_tls(); },
                      .will_stop =
                          [&parts] {
                            CrashRecord::expect_end();
                            parts.manager.notify("STOPPING=1");
                            parts.loop_watchdog.expect_end();
                          },
                      .stop = [this, &summarizer] { return stop(summarizer); }});
  boost::asio::co_spawn(parts.platform.home, parts.modules.start(), [](std::exception_ptr thrown) {
    if (thrown) web::log::error("not_started", {{"reason", reason_of(thrown)}});
  });
  summarizer.supervise(parts.platform.home);
  parts.network.start();
  parts.loop_watchdog.start();

  std::optional<Periodic> pulse;  // stops with the network
  if (const auto pause = parts.manager.watchdog_pause())
    pulse.emplace(parts.platform.home, "pulse", *pause, [&parts] { return parts.prove_alive(); }).start();

  if (log_format(parts.settings) != web::log::Format::json) std::cerr << parts.banner() << std::flush;
  std::cout << ready << std::flush;
  parts.manager.notify("READY=1");
  give_back_program_pages();
  give_back_freed_memory();
  const auto failure = signals.run();
  parts.join_threads();  // a backup that is under way uses the store, and its caller waits on the network
  parts.network.stop();  // before anything here is unwound: the pool's coroutines refer to it
  parts.loop_watchdog.stop();
  std::error_code gone;
  std::filesystem::remove(parts.folder.endpoints_file(), gone);
  if (failure) std::rethrow_exception(failure);
  web::log::info("stopped");
  return 0;
}

web::Task<> Box::stop(SummarizerChild& summarizer) {
  using namespace boost::asio::experimental::awaitable_operators;
  auto& parts = *parts_;
  co_await parts.modules.network.stop_background();
  co_await parts.modules.hosting.stop_streams(prompts_grace);  // running prompts answer through the backend
  auto draining = parts.server.drain(drain_deadline);
  auto exchanges = parts.modules.hosting.chat.stop_all(exchanges_grace);
  co_await (std::move(draining) && std::move(exchanges));
  co_await parts.modules.models.gateway.finish(calls_grace);
  co_await parts.modules.stop();
  co_await summarizer.stop();
}

}  // namespace agentbox
