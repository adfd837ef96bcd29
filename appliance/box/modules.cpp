#include "appliance/box/modules.h"

#include "appliance/box/administration/admin_rows.h"
#include "appliance/network/a2a/handlers.h"
#include "appliance/network/bus/handlers.h"
#include "web/log.h"

namespace agentbox {
namespace {

// Programs of foreign images refuse requests that show signs of a proxy which they have not been told to trust.
constexpr auto signs_of_a_proxy = {"Forwarded",        "X-Forwarded-For",    "X-Forwarded-Proto", "X-Forwarded-Host",
                                   "X-Forwarded-Port", "X-Forwarded-Server", "X-Real-IP"};

}  // namespace

Modules::Modules(const Platform& platform, store::Store& store, const web::LoopWatchdog& loop_watchdog,
                 const SettingSources& sources, hosting::Module::OpenAgentListener open_agent_listener,
                 std::function<void()> reload_tls)
    : agent_directory(platform.system),
      plan_directory(platform.system),
      identity(platform, events, agent_directory, plan_directory),
      billing(platform, identity),
      models(platform, identity, billing),
      files(platform, identity),
      hosting(platform, identity, billing, models, files, std::move(open_agent_listener),
              [this](agents::Agent agent) { return media.stream_of(std::move(agent)); }),
      payments(hosting,
               [this](std::string skill, boost::json::object inputs) {
                 return network.skill_sales.prepare(std::move(skill), std::move(inputs));
               }),
      network(payments),
      media(hosting),
      own(platform, store, loop_watchdog, sources, identity, models, hosting, std::move(reload_tls)),
      recent_admin_session(administration::recent_admin_session(
          identity.guards.admin_session, [this](const std::string& id) { return own.recent_proofs.is_recent(id); })) {}

Rows Modules::rows() {
  Rows all;
  all.add(own.rows());
  all.add(identity.rows());
  all.add(billing.rows());
  all.add(models.rows());
  all.add(files.rows());
  all.add(hosting.rows());
  all.add(payments.rows());
  all.add(network.rows());
  all.add(media.rows());
  administration::offer_to_administrators(identity.guards, recent_admin_session, all);
  return all;
}

std::vector<web::Route> Modules::agent_rows() {
  auto chosen = models.agent_rows();
  auto all = rows();
  for (auto& row : all.backend)
    if (&row.guard == &identity.guards.agent_token || row.path == bus::send_path) chosen.push_back(std::move(row));
  web::append(chosen, network.agent_rows());
  return chosen;
}

web::HostRouter Modules::host_router() {
  return [this, to_agents = hosting.agents.addresses.host_router()](
             const web::Request& request) -> std::optional<web::Result<web::ProxyTarget>> {
    if (a2a::is_at_agents_hosts(request.path)) return std::nullopt;
    auto target = to_agents(request);
    const bool is_relayed = target && *target && !(*target)->answer;
    if (is_relayed && !hosting.engine->gateway_traits((*target)->port).takes_forwarded)
      (*target)->drop_headers.insert((*target)->drop_headers.end(), signs_of_a_proxy.begin(), signs_of_a_proxy.end());
    return target;
  };
}

web::Task<> Modules::start() {
  co_await identity.start();
  co_await billing.start();
  co_await models.start();
  co_await files.start();
  co_await own.start();
  try {
    co_await hosting.start();
  } catch (const std::exception& error) {
    web::log::error("agents_not_started", {{"reason", std::string(error.what())}});
  }
  co_await payments.start();
  co_await network.start();
  co_await media.start();
}

web::Task<> Modules::stop() {
  co_await media.stop();
  co_await network.stop();
  co_await payments.stop();
  co_await hosting.stop();
  co_await own.stop();
  co_await files.stop();
  co_await models.stop();
  co_await billing.stop();
  co_await identity.stop();
}

}  // namespace agentbox
