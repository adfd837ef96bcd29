#include "appliance/identity/accounts/handlers.h"
#include "web/routes/reply.h"

namespace accounts {

namespace {

std::optional<std::string> unless_empty(std::string text) {
  if (text.empty()) return std::nullopt;
  return text;
}

}  // namespace

SessionList sessions_of(const Services& services, store::UserId user, const std::string& current) {
  SessionList answer;
  for (const Session& session : services.sessions.of_user(user)) {
    const bool is_current = session.id == current;
    auto origin = services.sessions.origin_of(session);
    answer.sessions.push_back({.id = session.id.substr(0, shown_id_length),
                               .createdAt = session.created_at,
                               .expiresAt = services.sessions.ends_at(session),
                               .current = is_current,
                               .lastUsedAt = is_current ? store::now() : services.sessions.last_used_at(session),
                               .browser = unless_empty(browser_name(origin.user_agent)),
                               .userAgent = unless_empty(std::move(origin.user_agent)),
                               .address = unless_empty(std::move(origin.address))});
  }
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
