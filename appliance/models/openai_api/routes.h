#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/identity/guards.h"
#include "appliance/models/model_gateway.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace models::openai_api {

// What the rows depend on; all of it must outlive them.
struct Services {
  ModelGateway& gateway;
  // The provider that an agent's calls prefer (ModelQuery::provider).
  std::function<std::string(std::string_view agent)> provider_of;
};

// The API for agents and for OpenAI's clients: POST /v1/chat/completions, POST /v1/embeddings and GET /v1/models. Its
// listener must use openai::error_form().
std::vector<web::Route> routes(const web::Guard&, const web::Bind<Services>&);
// The same, for agents' tokens and users' API keys, on the web and on the backend.
std::vector<web::Route> caller_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace models::openai_api
