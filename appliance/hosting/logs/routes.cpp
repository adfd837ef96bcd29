#include "appliance/hosting/logs/routes.h"

#include "appliance/hosting/runtime/docker/container.h"
#include "web/endpoint.h"

namespace logs {

namespace {

using web::Request;
using web::Response;
using web::Result;
using Handled = web::Task<Result<Response>>;

const web::RateLimit logs_rate{.group = "logs", .limit = 100};

struct Follow {
  std::optional<web::Integer<0, 1'000>> tail;
  std::optional<web::Text<1, 64>> lastEventId;
};
BOOST_DESCRIBE_STRUCT(Follow, (), (tail, lastEventId))

struct Look {
  std::optional<web::Integer<1, 5'000>> limit;
  std::optional<web::Text<1, 40>> since, until;
  std::optional<web::Text<1, 64>> after;
};
BOOST_DESCRIBE_STRUCT(Look, (), (limit, since, until, after))

struct Line {
  std::string id;
  std::optional<store::Time> at;
  std::string text;
};
BOOST_DESCRIBE_STRUCT(Line, (), (id, at, text))

struct History {
  std::vector<Line> lines;
  std::int64_t count = 0;
  bool skipped = false;
};
BOOST_DESCRIBE_STRUCT(History, (), (lines, count, skipped))

struct Stream {
  std::string id, agentId;
  store::Time startedAt;
  std::int64_t lines;
};
BOOST_DESCRIBE_STRUCT(Stream, (), (id, agentId, startedAt, lines))

struct Streams {
  std::vector<Stream> streams;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(Streams, (), (streams, count))

struct Stopped {
  bool success = true;
  std::int64_t stopped = 0;
};
BOOST_DESCRIBE_STRUCT(Stopped, (), (success, stopped))

// Whose agents and streams a row is about.
struct Side {
  std::function<Result<agents::Agent>(const Request&)> agent;
  std::function<std::optional<std::string>(const Request&)> reader;  // nothing: everybody
};

template <class Text>
Result<std::optional<store::Time>> time_of(const std::optional<Text>& text, std::string field) {
  if (!text) return std::optional<store::Time>();
  const auto time = runtime::docker::parse_time(*text);
  if (!time) return web::invalid(field + " must be a time such as 2026-01-31T12:00:00Z");
  return std::optional<store::Time>(*time);
}

std::vector<web::Route> rows(const Parts& parts, const Side& side, const web::Guard& guard,
                             const web::RateLimit* rate) {
  auto follow = [parts, side](Request& request, Follow wanted) -> Handled {
    const auto agent = side.agent(request);
    if (!agent) co_return agent.error();
    Wish wish{.agent = agent->id, .reader = side.reader(request).value_or(""), .after = {}};
    if (wanted.tail) wish.tail = std::size_t(wanted.tail->value);
    if (wanted.lastEventId) wish.after = *wanted.lastEventId;
    if (const auto last = request.header("Last-Event-ID"); !last.empty()) wish.after = last;
    co_return co_await parts.hub.stream(std::move(wish));
  };
  auto history = [parts, side](Request& request, Look wanted) -> Handled {
    const auto since = time_of(wanted.since, "since"), until = time_of(wanted.until, "until");
    if (!since) co_return since.error();
    if (!until) co_return until.error();
    if (wanted.after && !runtime::parse_log_position(*wanted.after))
      co_return web::invalid("after must be the id of a line");
    const auto agent = side.agent(request);
    if (!agent) co_return agent.error();
    runtime::LogQuery query{.limit = std::size_t(wanted.limit ? wanted.limit->value : 100),
                            .after = wanted.after ? std::string(*wanted.after) : std::string(),
                            .since = *since,
                            .until = *until};
    auto found = co_await parts.engine.read_log(agent->id, std::move(query));
    if (!found) co_return found.error();
    History answer;
    for (auto& line : found->lines) answer.lines.push_back({std::move(line.id), line.at, std::move(line.text)});
    answer.count = std::int64_t(answer.lines.size());
    answer.skipped = found->is_cut;
    co_return web::reply(answer, 200);
  };
  auto stop = [parts, side](Request& request) -> Handled {
    const auto agent = side.agent(request);
    if (!agent) co_return agent.error();
    const Stopped answer{.stopped = std::int64_t(parts.hub.end(agent->id, side.reader(request)))};
    co_return web::reply(answer, 200);
  };
  auto active = [parts, side](Request& request) -> Handled {
    Streams answer;
    for (auto& one : parts.hub.active(side.reader(request)))
      answer.streams.push_back({std::move(one.id), std::move(one.agent), one.started_at, one.lines});
    answer.count = std::int64_t(answer.streams.size());
    co_return web::reply(answer, 200);
  };
  return {
      {web::GET, "/api/logs/:agentId/stream", guard, rate,
       web::query<Follow>(follow).describe(
           "Server-sent events: `ready` {id} at first; `log` {id, at, text} for each line, the newest `tail` (50) "
           "first, then each as it is written; `end` {reason} when the box ends the stream. With the header "
           "Last-Event-ID (or `lastEventId`) every line behind that one comes first, in order; where some of them are "
           "kept no more, `skipped` {after, reason} says so. Who reads too slowly is ended. `at` is null where the "
           "line tells no time."),
       "Follow an agent's log"},
      {web::GET, "/api/logs/:agentId/history", guard, rate,
       web::query<Look>(history).returns<History>().describe(
           "The newest `limit` (100) lines, oldest first; with `since` and `until` (ISO 8601, UTC) of that time. With "
           "`after` the first `limit` behind the line of that id: from page to page nothing is left out, and `skipped` "
           "says that lines behind it are kept no more. Of a process some 16 MB are kept, of a container what its "
           "engine keeps."),
       "What an agent has logged"},
      {web::POST, "/api/logs/:agentId/stop", guard, rate, web::plain(stop).returns<Stopped>(),
       "End one's streams of an agent's log"},
      {web::GET, "/api/logs/active", guard, rate, web::plain(active).returns<Streams>(),
       "The logs one follows at the moment"},
  };
}

}  // namespace

std::vector<web::Route> web_routes(const Parts& parts) {
  const Side side{
      .agent = [&agents = parts.agents](
                   const Request& request) { return agents.resolve(request.caller.user_id, request.param("agentId")); },
      .reader = [](const Request& request) -> std::optional<std::string> {
        return "user " + std::to_string(request.caller.user_id);
      }};
  return rows(parts, side, parts.guards.session, &logs_rate);
}

std::vector<web::Route> backend_routes(const Parts& parts) {
  const Side side{.agent = [&agents = parts.agents](const Request& request) -> Result<agents::Agent> {
                    auto agent = agents.find(request.param("agentId"));
                    if (!agent) return web::not_found();
                    return std::move(*agent);
                  },
                  .reader = [](const Request&) -> std::optional<std::string> { return std::nullopt; }};
  return rows(parts, side, parts.guards.backend_key, nullptr);
}

}  // namespace logs
