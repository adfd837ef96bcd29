// The HTTP face of the AI layer.
#pragma once

#include <vector>

#include "appliance/ai/ai.h"
#include "appliance/ai/provider_keys.h"
#include "appliance/guards.h"
#include "web/route.h"

namespace ai {

// An agent's own token, or a user's API key.
web::Guard model_guard(const agentbox::Guards&);

// The arguments of each must outlive the rows.

// The door for agents and for clients written for OpenAI's API: POST /v1/chat/completions, POST /v1/embeddings and
// GET /v1/models, behind `guard`.
std::vector<web::Route> openai_routes(Ai&, const web::Guard& guard);
// The contract's AI API on the backend, /api/ai/*, and POST /api/admin/models/reload.
std::vector<web::Route> api_routes(Ai&, const agentbox::Guards&);
// /api/demo/chat, /api/models and /api/provider-keys on the web.
std::vector<web::Route> web_routes(Ai&, ProviderKeys&, const agentbox::Settings&, const agentbox::Guards&);

}  // namespace ai
