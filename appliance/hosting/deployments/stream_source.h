// Where the live streams of new agents come from: a module above this one.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "appliance/hosting/agents/records.h"
#include "web/task.h"

namespace deployments {

struct AgentStream {
  std::string id, key;
};

// The stream of an agent that was just provisioned; nothing if it gets none.
using StreamSource = std::function<web::Task<std::optional<AgentStream>>(agents::Agent)>;

}  // namespace deployments
