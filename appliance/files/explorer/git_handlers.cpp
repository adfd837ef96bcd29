#include "appliance/files/explorer/handlers.h"

namespace explorer {

Reply show_status(const Services& services, const web::Request&, AgentQuery query) {
  const auto found = co_await services.explorer.status(agent_of(query.agent));
  if (!found) co_return found.error();
  co_return view(*found);
}

Reply show_diff(const Services& services, const web::Request&, DiffQuery query) {
  auto found = co_await services.explorer.diff(agent_of(query.agent), path_of(query.path));
  if (!found) co_return found.error();
  co_return view(std::move(*found));
}

Reply sync_repository(const Services& services, Explorer::Agent agent, SyncBody body) {
  std::string message = body.message ? std::string(*body.message) : std::string();
  const auto synced = co_await services.explorer.sync(std::move(agent), std::move(message));
  if (!synced) co_return synced.error();
  const SyncAnswer answer{.committed = synced->hash.has_value(),
                          .pushed = synced->is_pushed,
                          .hash = synced->hash,
                          .message = synced->message};
  co_return web::reply(answer);
}

Reply show_log(const Services& services, const web::Request&, LogQuery query) {
  const auto found = co_await services.explorer.log(agent_of(query.agent), commits_of(query.limit));
  if (!found) co_return found.error();
  co_return view(*found);
}

Reply show_commit(const Services& services, const web::Request&, ShowQuery query) {
  std::string revision = query.rev ? std::string(*query.rev) : "HEAD";
  auto found = co_await services.explorer.show(agent_of(query.agent), std::move(revision), path_of(query.path));
  if (!found) co_return found.error();
  co_return view(std::move(*found));
}

}  // namespace explorer
