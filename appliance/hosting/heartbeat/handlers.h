#pragma once

#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/heartbeat/heartbeat.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace heartbeat {

// What the rows depend on; all of it must outlive them.
struct Services {
  Heartbeats& heartbeats;
};

struct AgentQuery {
  web::Text<1, 128> agentId;
};
BOOST_DESCRIBE_STRUCT(AgentQuery, (), (agentId))

struct HeartbeatRequest {
  web::Text<1, 128> agentId;
  std::optional<web::Text<1, 12>> frequency;
  std::optional<bool> enabled;
  std::optional<web::Prose<0, 8'000>> prompt;
};
BOOST_DESCRIBE_STRUCT(HeartbeatRequest, (), (agentId, frequency, enabled, prompt))

struct HeartbeatView {
  std::string agentId, frequency;
  bool enabled;
  std::string prompt;
  std::optional<store::Time> lastHeartbeat, nextHeartbeat;
  std::optional<schedule::Outcome> lastOutcome;
  std::optional<std::string> lastError;
  std::optional<store::Time> lastUpdated;
};
BOOST_DESCRIBE_STRUCT(HeartbeatView, (),
                      (agentId, frequency, enabled, prompt, lastHeartbeat, nextHeartbeat, lastOutcome, lastError,
                       lastUpdated))

struct HeartbeatAnswer {
  HeartbeatView heartbeat;
};
BOOST_DESCRIBE_STRUCT(HeartbeatAnswer, (), (heartbeat))

// /api/heartbeat.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace heartbeat
