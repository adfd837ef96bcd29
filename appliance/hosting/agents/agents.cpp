#include "appliance/hosting/agents/agents.h"
#include "appliance/foundation/disk_reserve.h"

#include <filesystem>

namespace agents {
namespace {

using web::Task;

ProvisionerOptions options_of(const agentbox::Settings& settings, std::chrono::milliseconds ready_deadline) {
  ProvisionerOptions options;
  options.ready_deadline = ready_deadline;
  options.folder = std::filesystem::absolute(settings.data) / "agents";
  options.disk_reserve = agentbox::DiskReserve(settings.data, settings.disk_reserve).bytes();
  options.start_agents = settings.provisioning_enabled;
  return options;
}

}  // namespace

Agents::Agents(store::System system, runtime::Engine& engine, const billing::Subscriptions& subscriptions,
               const agentbox::Settings& settings, web::IoPool& pool, boost::asio::thread_pool& files,
               agentbox::Events& events, AgentDependencies dependencies, std::chrono::milliseconds ready_deadline)
    : system_(system),
      config_rules_{.knows_model = std::move(dependencies.knows_model),
                    .knows_server = std::move(dependencies.knows_server),
                    .allows_private = settings.summarizer_allow_private,
                    .servers = std::move(dependencies.servers)},
      premium_model_(std::move(dependencies.premium_model)),
      ports_(system, settings.agent_port_first, settings.agent_port_last),
      provisioner_(system, engine, ports_, events, options_of(settings, ready_deadline), pool.next(), files),
      supervision_(system, provisioner_, events, settings, std::move(dependencies.entered),
                   std::move(dependencies.notified)),
      directory(system),
      addresses(system, settings.agent_domain, std::move(dependencies.session_lives)),
      provisioning(system, directory, subscriptions, settings, ports_, provisioner_, config_rules_, premium_model_),
      editor(system, config_rules_),
      lifecycle(system, directory, engine, provisioner_, supervision_, settings.provisioning_enabled,
                std::move(dependencies.has_room)),
      revocation(system, provisioner_, settings.provisioning_enabled, std::move(dependencies.rotated)),
      monitor(engine, supervision_) {}

Agents::~Agents() = default;

void Agents::set_addresses(BoxAddresses box) {
  addresses.set_web_url(box.web);
  provisioner_.set_addresses(std::move(box.backend), std::move(box.summarizer));
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

Task<> Agents::start() { return provisioner_.start(); }

Task<> Agents::stop() {
  co_await provisioner_.stop();
  co_await supervision_.stop();
}

}  // namespace agents
