// What agents do together: the services that its capabilities share, built in order, and the capabilities themselves.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "appliance/network/amplification/amplification.h"
#include "appliance/network/bus/agent_delivery.h"
#include "appliance/network/bus/bus.h"
#include "appliance/network/bus/delivery_worker.h"
#include "appliance/network/bus/mailbox.h"
#include "appliance/network/bus/webhook.h"
#include "appliance/network/bus_keys/bus_keys.h"
#include "appliance/network/capabilities.h"
#include "appliance/network/events/events.h"
#include "appliance/network/fleet/souls.h"
#include "appliance/network/negotiation/negotiation.h"
#include "appliance/network/otlp/handlers.h"
#include "appliance/network/skills/sales.h"
#include "appliance/network/traces/traces.h"
#include "appliance/payments/module.h"

namespace network {

class Module {
 public:
  // All of them must outlive this.
  explicit Module(payments::Module& given_payments)
      : platform(given_payments.platform),
        identity(given_payments.identity),
        billing(given_payments.billing),
        models(given_payments.models),
        hosting(given_payments.hosting),
        payments(given_payments),
        traces(platform.system, billing.spans, hosting.agents.directory),
        load_sampler(*hosting.engine, platform.home),
        souls(platform.system, billing.spans, hosting.agents.addresses, load_sampler,
              platform.settings.installation_heartbeat_interval),
        bus_keys(platform.system),
        webhook(bus_keys, platform.settings.summarizer_allow_private),
        agent_delivery(platform.system, hosting.chat),
        delivery_worker(
            platform.system, platform.home,
            [this](const bus::Participant& recipient, const bus::Message& message) {
              return webhook.deliver(recipient, message);
            },
            [this](const bus::Participant& recipient, const bus::Message& message) {
              return agent_delivery.deliver(recipient, message);
            }),
        mailbox(platform.system, delivery_worker),
        daily_limit(billing.subscriptions),
        bus(platform.system, daily_limit, delivery_worker,
            [this](store::UserId owner, std::string from, std::string to) {
              billing.spans.count_message(owner, std::move(from), std::move(to));
            }),
        events(platform.system),
        negotiation(platform.system, events),
        amplification(platform.system, delivery_worker),
        skill_catalogue(platform.folder.path() / skills::folder_name),
        skill_installer(platform.system, skill_catalogue, billing.subscriptions, platform.folder.agents(),
                        platform.blocking),
        skill_runs(platform.system, skill_catalogue, skill_installer, hosting.chat, billing.spend_policy,
                   billing.ledger, platform.home),
        skill_sales(platform.system, skill_catalogue, skill_installer, hosting.agents.directory, skill_runs),
        capabilities_(network::capabilities(), *this) {}

  agentbox::Rows rows() { return capabilities_.rows(identity.guards); }
  // The rows that agents use, for the listener of agents, guarded by their tokens.
  std::vector<web::Route> agent_rows() {
    return otlp::routes(identity.guards.agent_token, otlp::Services{billing.spans});
  }
  web::Task<> start() { return capabilities_.start(); }
  web::Task<> stop() { return capabilities_.stop(); }

  // What speaks with agents in the background ends before the listeners drain: agents answer through them.
  void when_listeners_close(std::function<web::Task<>()> end) { ends_.push_back(std::move(end)); }
  web::Task<> stop_background() {
    for (const auto& end : ends_) co_await end();
  }

  const agentbox::Platform& platform;
  identity::Module& identity;
  billing::Module& billing;
  models::Module& models;
  hosting::Module& hosting;
  payments::Module& payments;

  traces::Traces traces;
  fleet::LoadSampler load_sampler;
  fleet::Souls souls;
  bus_keys::BusKeys bus_keys;
  bus::Webhook webhook;
  bus::AgentDelivery agent_delivery;
  bus::DeliveryWorker delivery_worker;
  bus::Mailbox mailbox;
  bus::DailyLimit daily_limit;
  bus::Bus bus;
  events::Events events;
  negotiation::Negotiation negotiation;
  amplification::Amplification amplification;
  skills::Catalogue skill_catalogue;
  skills::Installer skill_installer;
  skills::Runs skill_runs;
  skills::Sales skill_sales;

 private:
  std::vector<std::function<web::Task<>()>> ends_;
  agentbox::RunningCapabilities capabilities_;
};

}  // namespace network
