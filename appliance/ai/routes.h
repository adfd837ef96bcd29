// The OpenAI-compatible door on the backend: what agents, and clients written for that API, talk to.
#pragma once

#include <vector>

#include "appliance/ai/ai.h"
#include "appliance/guards.h"
#include "web/route.h"

namespace ai {

// POST /v1/chat/completions and GET /v1/models, for an agent's own token. Both arguments must outlive the rows.
std::vector<web::Route> routes(Ai&, const agentbox::Guards&);

}  // namespace ai
