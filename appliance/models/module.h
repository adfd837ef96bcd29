// The model gateway and what it is configured by: the services that its capabilities and other modules share, built in
// order, and the capabilities themselves.
#pragma once

#include "appliance/billing/module.h"
#include "appliance/models/answer_cache.h"
#include "appliance/models/capabilities.h"
#include "appliance/models/catalogue.h"
#include "appliance/models/model_gateway.h"
#include "appliance/models/provider_keys.h"

namespace models {

class Module {
 public:
  // All of them must outlive this.
  Module(const agentbox::Platform&, identity::Module&, billing::Module&);

  agentbox::Rows rows() { return capabilities_.rows(identity.guards); }
  web::Task<> start() { return capabilities_.start(); }
  web::Task<> stop() { return capabilities_.stop(); }
  // The rows that agents use, for the listener of agents, guarded by their tokens.
  std::vector<web::Route> agent_rows();

  // The provider that an agent's calls prefer (ModelQuery::provider).
  std::string provider_of(std::string_view agent) const { return identity.agents.ai_provider(agent); }

  // Whether an agent's configuration may name this model.
  bool knows(std::string_view model) const;
  // Whether there is a further OpenAI-compatible server of this name.
  bool has_server(std::string_view name) const { return gateway.providers().server(name) != nullptr; }
  // The catalogue's first choice for reasoning that its provider lists now, if the user's plan includes it and a
  // provider serves it, else empty.
  web::Task<std::string> premium_model(store::UserId);

  const agentbox::Platform& platform;
  identity::Module& identity;
  billing::Module& billing;

  Catalogues catalogues;
  ProviderKeys provider_keys;
  AnswerCache answer_cache;
  ModelGateway gateway;

 private:
  agentbox::RunningCapabilities capabilities_;
};

}  // namespace models
