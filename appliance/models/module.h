// The model gateway, its settings and its APIs: the parts of the module, built in order.
#pragma once

#include "appliance/billing/module.h"
#include "appliance/models/answer_cache.h"
#include "appliance/models/catalogue.h"
#include "appliance/models/demo/demo.h"
#include "appliance/models/model_gateway.h"
#include "appliance/models/openai_api/routes.h"
#include "appliance/models/provider_keys.h"

namespace models {

class Module {
 public:
  Module(const agentbox::Platform&, identity::Module&, billing::Module&);

  agentbox::Rows rows(ProviderOf provider_of);
  // For the listener of agents, guarded by their tokens.
  std::vector<web::Route> agent_rows(ProviderOf provider_of);
  // Whether an agent's configuration may name this model.
  bool knows(std::string_view model) const;

 private:
  const agentbox::Settings& settings_;
  identity::Module& identity_;
  billing::Module& billing_;
  const web::Guard model_guard_;

 public:
  Catalogues catalogues;
  ProviderKeys provider_keys;
  AnswerCache answer_cache;
  ModelGateway gateway;

 private:
  demo::Demo demo_;
};

}  // namespace models
