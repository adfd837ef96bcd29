#include "appliance/hosting/logs/handlers.h"

#include <boost/json.hpp>

#include "appliance/foundation/timestamp.h"
#include "web/protocol/event_text.h"

namespace logs {

namespace {

using web::Request;
using web::Result;

template <class Text>
Result<std::optional<store::Time>> time_of(const std::optional<Text>& text, std::string field) {
  if (!text) return std::optional<store::Time>();
  const auto time = agentbox::parse_timestamp(*text);
  if (!time) return web::invalid(field + " must be a time such as 2026-01-31T12:00:00Z");
  return std::optional<store::Time>(*time);
}

void append(std::string& text, const StreamEvent& event) {
  using Kind = StreamEvent::Kind;
  const auto write = [&](std::string_view name, const boost::json::object& data, std::string_view id = {}) {
    web::append_event(text, boost::json::serialize(data), name, id);
  };
  switch (event.kind) {
    case Kind::ready:
      return write("ready", {{"id", event.id}});
    case Kind::line: {
      boost::json::value at;
      if (event.line.at) at = web::iso8601(*event.line.at);
      return write("log", {{"id", event.line.id}, {"at", std::move(at)}, {"text", event.line.text}}, event.line.id);
    }
    case Kind::skipped:
      return write("skipped", {{"after", event.id}, {"reason", event.reason}});
    case Kind::end:
      return write("end", {{"reason", event.reason}});
  }
}

// Events that are available together are sent together.
web::Task<> send_events(std::shared_ptr<LogStream> stream, web::StreamWriter& writer) {
  for (bool has_ended = false; !has_ended;) {
    const auto events = co_await stream->next();
    std::string text;
    for (const auto& event : events) append(text, event);
    has_ended = events.back().kind == StreamEvent::Kind::end;
    co_await writer.write(std::move(text));
  }
}

}  // namespace

Scope own_agents() {
  return {
      .agent = [](const agents::AgentDirectory& agents,
                  const Request& request) { return agents.resolve(request.caller.user_id, request.param("agentId")); },
      .reader = [](const Request& request) -> std::optional<std::string> {
        return reader_name(request.caller.user_id);
      }};
}

Scope all_agents() {
  return {.agent = [](const agents::AgentDirectory& agents, const Request& request) -> Result<agents::Agent> {
            auto agent = agents.find(request.param("agentId"));
            if (!agent) return web::not_found();
            return std::move(*agent);
          },
          .reader = [](const Request&) -> std::optional<std::string> { return std::nullopt; }};
}

web::Answer follow_log(const Services& services, const Scope& scope, const Request& request, FollowQuery query) {
  const auto agent = scope.agent(services.agents, request);
  if (!agent) co_return agent.error();
  StreamQuery wanted{.agent = agent->id, .reader = scope.reader(request).value_or(""), .after = {}};
  if (query.tail) wanted.tail = std::size_t(query.tail->value);
  if (query.lastEventId) wanted.after = *query.lastEventId;
  if (const auto last = request.header("Last-Event-ID"); !last.empty()) wanted.after = last;
  const auto stream = co_await services.hub.open(std::move(wanted));
  if (!stream) co_return stream.error();
  auto response =
      web::server_sent_events([stream = *stream](web::StreamWriter& writer) { return send_events(stream, writer); });
  response.endless = true;
  co_return response;
}

web::Answer show_history(const Services& services, const Scope& scope, const Request& request, HistoryQuery query) {
  const auto since = time_of(query.since, "since"), until = time_of(query.until, "until");
  if (!since) co_return since.error();
  if (!until) co_return until.error();
  if (query.after && !runtime::parse_log_position(*query.after))
    co_return web::invalid("after must be the id of a line");
  const auto agent = scope.agent(services.agents, request);
  if (!agent) co_return agent.error();
  runtime::LogQuery wanted{.limit = std::size_t(query.limit ? query.limit->value : 100),
                           .after = query.after ? std::string(*query.after) : std::string(),
                           .since = *since,
                           .until = *until};
  auto page = co_await services.engine.read_log(agent->id, std::move(wanted));
  if (!page) co_return page.error();
  HistoryAnswer answer;
  for (auto& line : page->lines) answer.lines.push_back({std::move(line.id), line.at, std::move(line.text)});
  answer.count = std::int64_t(answer.lines.size());
  answer.skipped = page->is_truncated;
  co_return web::reply(answer, 200);
}

web::Answer stop_streams(const Services& services, const Scope& scope, const Request& request) {
  const auto agent = scope.agent(services.agents, request);
  if (!agent) co_return agent.error();
  const StopAnswer answer{.stopped = std::int64_t(services.hub.end(agent->id, scope.reader(request)))};
  co_return web::reply(answer, 200);
}

web::Answer list_streams(const Services& services, const Scope& scope, const Request& request) {
  StreamList answer;
  for (auto& stream : services.hub.active(scope.reader(request)))
    answer.streams.push_back({std::move(stream.id), std::move(stream.agent), stream.started_at, stream.lines});
  answer.count = std::int64_t(answer.streams.size());
  co_return web::reply(answer, 200);
}

}  // namespace logs
