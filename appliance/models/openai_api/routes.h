#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/identity/guards.h"
#include "appliance/models/model_gateway.h"
#include "web/route.h"

namespace models {

// Returns the provider that an agent's calls prefer (ModelQuery::provider).
using ProviderOf = std::function<std::string(std::string_view agent)>;

namespace openai_api {

// Admits an agent's token or a user's API key. The guards must outlive it.
web::Guard model_guard(const agentbox::Guards&);

// What the rows depend on; all of it must outlive them.
struct Services {
  ModelGateway& gateway;
  const web::Guard& guard;
  ProviderOf provider_of;
};

// The API for agents and for OpenAI's clients: POST /v1/chat/completions, POST /v1/embeddings and GET /v1/models. Its
// listener must use openai::error_form().
std::vector<web::Route> routes(const Services&);

}  // namespace openai_api

}  // namespace models
