#include "appliance/hosting/heartbeat/handlers.h"

namespace heartbeat {

namespace {

web::Result<web::Response> reply_with(web::Result<Heartbeat> heartbeat) {
  if (!heartbeat) return heartbeat.error();
  HeartbeatAnswer answer;
  answer.heartbeat = {.agentId = std::move(heartbeat->agent),
                      .frequency = std::move(heartbeat->frequency),
                      .enabled = heartbeat->enabled,
                      .prompt = std::move(heartbeat->prompt),
                      .lastHeartbeat = heartbeat->last,
                      .nextHeartbeat = heartbeat->next,
                      .lastOutcome = heartbeat->last_outcome,
                      .lastError = {},
                      .lastUpdated = heartbeat->updated_at};
  if (!heartbeat->last_error.empty()) answer.heartbeat.lastError = std::move(heartbeat->last_error);
  return web::reply(answer, 200);
}

}  // namespace

web::Answer show_heartbeat(const Services& services, const web::Request& request, AgentQuery query) {
  co_return reply_with(services.heartbeats.find(request.caller.user_id, query.agentId));
}

web::Answer set_heartbeat(const Services& services, const web::Request& request, HeartbeatRequest body) {
  Changes changes{.frequency = std::move(body.frequency), .prompt = std::move(body.prompt), .enabled = body.enabled};
  auto heartbeat =
      co_await services.heartbeats.set(request.caller.user_id, std::move(body.agentId), std::move(changes));
  co_return reply_with(std::move(heartbeat));
}

web::Answer remove_heartbeat(const Services& services, const web::Request& request, AgentQuery query) {
  const auto removed = co_await services.heartbeats.remove(request.caller.user_id, std::move(query.agentId));
  if (!removed) co_return removed.error();
  const web::Succeeded answer;
  co_return web::reply(answer, 200);
}

}  // namespace heartbeat
