#include "appliance/network/traces/handlers.h"

#include "appliance/access/key_guards.h"
#include "appliance/foundation/timestamp.h"
#include "web/routes/endpoint.h"
#include "web/routes/reply.h"

namespace traces {

namespace {

template <class Text>
web::Result<std::optional<store::Time>> parse_time(const std::optional<Text>& text, const std::string& field) {
  if (!text) return std::optional<store::Time>();
  auto time = agentbox::parse_timestamp(*text);
  if (!time) return web::invalid(field + " must be a time such as 2026-11-24T12:00:00Z");
  return std::optional<store::Time>(std::chrono::time_point_cast<std::chrono::milliseconds>(*time));
}

web::Result<Filter> filter_of(TraceQuery query) {
  const auto since = parse_time(query.since, "since");
  if (!since) return since.error();
  const auto until = parse_time(query.until, "until");
  if (!until) return until.error();
  Filter filter{.agent = std::move(query.agent).value_or(""),
                .type = query.type,
                .has_errors = query.errors,
                .since = *since,
                .until = *until,
                .before = std::move(query.before).value_or("")};
  if (query.limit) filter.limit = static_cast<std::size_t>(query.limit->value);
  return filter;
}

web::Answer list(const Services& services, store::UserId user, TraceQuery query) {
  const bool is_first_page = !query.before;
  auto filter = filter_of(std::move(query));
  if (!filter) co_return filter.error();
  const auto page = co_await services.traces.page(user, std::move(*filter));
  const auto names = services.traces.names(user);
  TraceList answer{.count = static_cast<std::int64_t>(page.traces.size()), .next = page.next};
  for (const auto& trace : page.traces) answer.traces.push_back(row_of(trace, names));
  if (is_first_page)
    for (const auto& span : services.traces.running(user)) answer.running.push_back(view_of(span, names));
  co_return web::reply(answer);
}

web::Answer show(const Services& services, store::UserId user, std::string id) {
  if (!spans::is_trace_id(id)) co_return web::not_found();
  const auto found = co_await services.traces.find(user, std::move(id));
  if (!found) co_return web::not_found();
  const auto names = services.traces.names(user);
  boost::json::object answer{{"trace", web::to_json(row_of(found->trace, names))},
                             {"spans", tree_of(found->spans, names)},
                             {"truncated", found->spans.size() >= Traces::max_spans}};
  co_return web::json(answer);
}

web::Answer list_own_traces(const Services& services, const web::Request& request, TraceQuery query) {
  return list(services, request.caller.user_id, std::move(query));
}

web::Answer show_own_trace(const Services& services, const web::Request& request) {
  return show(services, request.caller.user_id, request.param("id"));
}

web::Answer list_traces(const Services& services, const web::Request&, UserTraceQuery query) {
  return list(services, query.userId, std::move(query));
}

web::Answer show_trace(const Services& services, const web::Request& request, UserQuery query) {
  return show(services, query.userId, request.param("id"));
}

constexpr const char* list_text =
    "A trace is what followed from one message, model call or event: its spans are a turn of an agent (plan), calls of "
    "tools (tool_call) and models (inference), and events of the watchdog (monitor), and those that OpenTelemetry "
    "clients have sent to /v1/traces (foreign). `agent` is an agent's id, or the name of an agent elsewhere; `errors` "
    "true lists traces with failed spans, false those without; `since` and `until` are RFC 3339 times. With `next`, "
    "ask "
    "again with it as `before`; a page may have fewer traces than `limit`. `running` has work in progress, on the "
    "first "
    "page. Costs are in US dollars. The newest 100,000 spans of a user are kept.";
constexpr const char* tree_text =
    "`spans` is a tree: each span has `children`. Spans whose parent is unknown are roots. At most 2,000 spans are "
    "shown; `truncated` says whether there are more.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& owner = agentbox::session_or_key(guards, key_scopes::Scope::usage, agentbox::RowScope::account);
  return {
      {web::GET, "/api/traces", owner, nullptr,
       web::query<TraceQuery>(on(list_own_traces)).returns<TraceList>().describe(list_text),
       "List your traces, newest first"},
      {web::GET, "/api/traces/:id", owner, nullptr,
       web::plain(on(show_own_trace)).returns<TraceTree>().describe(tree_text), "One of your traces with its spans"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& key = guards.backend.users;
  return {
      {web::GET, "/api/traces", key, nullptr,
       web::query<UserTraceQuery>(on(list_traces)).returns<TraceList>().describe(list_text),
       "List a user's traces, newest first"},
      {web::GET, "/api/traces/:id", key, nullptr,
       web::query<UserQuery>(on(show_trace)).returns<TraceTree>().describe(tree_text),
       "One of a user's traces with its spans"},
  };
}

}  // namespace traces
