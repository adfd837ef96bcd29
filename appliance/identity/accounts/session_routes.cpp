#include <algorithm>

#include "appliance/identity/accounts/routes.h"
#include "web/endpoint.h"

namespace accounts {

namespace {

using Answer = web::Task<web::Result<web::Response>>;

// Enough of the id to tell a user's sessions apart.
constexpr std::size_t shown_characters = 16;

struct SessionEntry {
  std::string id;
  store::Time createdAt, expiresAt;
  bool current = false;
};
BOOST_DESCRIBE_STRUCT(SessionEntry, (), (id, createdAt, expiresAt, current))

struct SessionList {
  std::vector<SessionEntry> sessions;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(SessionList, (), (sessions, count))

struct Succeeded {
  bool success = true;
};
BOOST_DESCRIBE_STRUCT(Succeeded, (), (success))

Answer list_sessions(RouteServices services, web::Request& request) {
  SessionList answer;
  for (const Session& session : services.sessions.of_user(request.caller.user_id))
    answer.sessions.push_back({session.id.substr(0, shown_characters), session.created_at, session.expires_at,
                               session.id == request.caller.credential});
  answer.count = static_cast<std::int64_t>(answer.sessions.size());
  co_return web::reply(answer, 200);
}

Answer end_others(RouteServices services, web::Request& request) {
  co_await services.sessions.end_all(request.caller.user_id, request.caller.credential);
  auto entry = audit::of_request(request, "other sessions ended", "");
  co_await services.audit.note(std::move(entry));
  const Succeeded answer;
  co_return web::reply(answer, 200);
}

Answer end_one(RouteServices services, web::Request& request) {
  const auto own = services.sessions.of_user(request.caller.user_id);
  const auto named = std::ranges::find_if(
      own, [&](const Session& session) { return session.id.substr(0, shown_characters) == request.param("id"); });
  if (named == own.end()) co_return web::not_found("No such session");
  co_await services.sessions.end(named->id);
  auto entry = audit::of_request(request, "session ended", request.param("id"));
  co_await services.audit.note(std::move(entry));
  const Succeeded answer;
  co_return web::reply(answer, 200);
}

}  // namespace

std::vector<web::Route> session_routes(RouteServices services) {
  const auto& session = services.guards.session;
  const auto list = [services](web::Request& request) { return list_sessions(services, request); };
  const auto others = [services](web::Request& request) { return end_others(services, request); };
  const auto one = [services](web::Request& request) { return end_one(services, request); };
  return {
      {web::GET, "/api/auth/sessions", session, nullptr, web::plain(list).returns<SessionList>(),
       "Where one is signed in"},
      {web::DELETE, "/api/auth/sessions", session, nullptr, web::plain(others).returns<Succeeded>(),
       "Sign out everywhere else"},
      {web::DELETE, "/api/auth/sessions/:id", session, nullptr, web::plain(one).returns<Succeeded>(),
       "Sign out of one place"},
  };
}

}  // namespace accounts
