// The name that an agent's gateway has for its model.
#pragma once

#include <optional>
#include <string>

#include "appliance/hosting/agents/records.h"
#include "web/task.h"

namespace chat {

// The first model that the gateway of a running agent lists, if it does not list the agent's own; nothing also when it
// lists none. Programs other than the box's may name themselves: OpenClaw answers only to "openclaw".
web::Task<std::optional<std::string>> model_named_by_gateway(const agents::Agent&);

}  // namespace chat
