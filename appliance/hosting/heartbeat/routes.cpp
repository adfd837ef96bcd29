#include "appliance/hosting/heartbeat/routes.h"

#include "web/endpoint.h"

namespace heartbeat {

namespace {

using web::Request;
using web::Response;
using web::Result;

const web::RateLimit heartbeat_rate{.group = "heartbeat", .limit = 100};

struct Which {
  web::Text<1, 128> agentId;
};
BOOST_DESCRIBE_STRUCT(Which, (), (agentId))

struct Wanted {
  web::Text<1, 128> agentId;
  std::optional<web::Text<1, 12>> frequency;
  std::optional<bool> enabled;
  std::optional<web::Prose<0, 8'000>> prompt;
};
BOOST_DESCRIBE_STRUCT(Wanted, (), (agentId, frequency, enabled, prompt))

struct View {
  std::string agentId, frequency;
  bool enabled;
  std::string prompt;
  std::optional<store::Time> lastHeartbeat, nextHeartbeat;
  std::optional<schedule::Outcome> lastOutcome;
  std::optional<std::string> lastError;
  std::optional<store::Time> lastUpdated;
};
BOOST_DESCRIBE_STRUCT(View, (),
                      (agentId, frequency, enabled, prompt, lastHeartbeat, nextHeartbeat, lastOutcome, lastError,
                       lastUpdated))

struct Answer {
  View heartbeat;
};
BOOST_DESCRIBE_STRUCT(Answer, (), (heartbeat))

struct Removed {
  bool success = true;
};
BOOST_DESCRIBE_STRUCT(Removed, (), (success))

Result<Response> answer_of(Result<Heartbeat> found) {
  if (!found) return found.error();
  Answer answer;
  answer.heartbeat = {.agentId = std::move(found->agent),
                      .frequency = std::move(found->frequency),
                      .enabled = found->enabled,
                      .prompt = std::move(found->prompt),
                      .lastHeartbeat = found->last,
                      .nextHeartbeat = found->next,
                      .lastOutcome = found->last_outcome,
                      .lastError = {},
                      .lastUpdated = found->updated_at};
  if (!found->last_error.empty()) answer.heartbeat.lastError = std::move(found->last_error);
  return web::reply(answer, 200);
}

}  // namespace

std::vector<web::Route> web_routes(Heartbeats& service, const agentbox::Guards& guards) {
  auto get = [&service](Request& request, Which which) -> web::Task<Result<Response>> {
    co_return answer_of(service.find(request.caller.user_id, which.agentId));
  };
  auto set = [&service](Request& request, Wanted wanted) -> web::Task<Result<Response>> {
    Changes changes{
        .frequency = std::move(wanted.frequency), .prompt = std::move(wanted.prompt), .enabled = wanted.enabled};
    auto done = co_await service.set(request.caller.user_id, std::move(wanted.agentId), std::move(changes));
    co_return answer_of(std::move(done));
  };
  auto remove = [&service](Request& request) -> web::Task<Result<Response>> {
    const auto which = request.body.empty() ? web::parse_query<Which>(request) : web::parse_body<Which>(request);
    if (!which) co_return which.error();
    const auto removed = co_await service.remove(request.caller.user_id, which->agentId);
    if (!removed) co_return removed.error();
    const Removed answer;
    co_return web::reply(answer, 200);
  };
  auto removal = web::plain(remove).returns<Removed>().describe(
      "The agent has no heartbeat any more. agentId comes in the body or, without a body, in the query.");
  removal.body = web::schema_of<Which>;
  return {
      {web::GET, "/api/heartbeat", guards.session, &heartbeat_rate,
       web::query<Which>(get).returns<Answer>().describe(
           "An agent whose heartbeat was never set has none: nextHeartbeat is null then, and the rest are the "
           "defaults."),
       "An agent's heartbeat"},
      {web::POST, "/api/heartbeat", guards.session, &heartbeat_rate,
       web::body<Wanted>(set).returns<Answer>().describe(
           "Every `frequency` ({number}{m|h|d}, a minute to a year; 3h unless set) the agent gets `prompt`, as if its "
           "owner had sent it, for the first time one frequency from now. Only given fields change; an empty prompt "
           "brings the default back. What the agent answers stands in the conversation; lastOutcome and lastError tell "
           "how the last one ended."),
       "Set an agent's heartbeat"},
      {web::DELETE, "/api/heartbeat", guards.session, &heartbeat_rate, std::move(removal),
       "Remove an agent's heartbeat"},
  };
}

}  // namespace heartbeat
