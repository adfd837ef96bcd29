#include "appliance/identity/accounts/handlers.h"
#include "web/reply.h"

namespace accounts {

SessionList sessions_of(const Services& services, store::UserId user, const std::string& current) {
  SessionList answer;
  for (const Session& session : services.sessions.of_user(user))
    answer.sessions.push_back({session.id.substr(0, shown_id_length), session.created_at,
                               services.sessions.ends_at(session), session.id == current});
  answer.count = static_cast<std::int64_t>(answer.sessions.size());
  return answer;
}

web::Answer list_sessions(const Services& services, const web::Request& request) {
  const auto answer = sessions_of(services, request.caller.user_id, request.caller.credential);
  co_return web::reply(answer, 200);
}

web::Answer end_other_sessions(const Services& services, const web::Request& request) {
  auto actor = audit::actor_of(request);
  co_await services.self_service.end_other_sessions(std::move(actor));
  co_return succeeded_elsewhere_signed_out(services, request);
}

web::Answer end_session(const Services& services, const web::Request& request) {
  auto actor = audit::actor_of(request);
  const auto ended = co_await services.self_service.end_session(std::move(actor), request.param("id"));
  if (!ended) co_return ended.error();
  const web::Succeeded answer;
  co_return web::reply(answer, 200);
}

}  // namespace accounts
