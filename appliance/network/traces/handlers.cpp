#include "appliance/network/traces/handlers.h"

#include "appliance/foundation/timestamp.h"
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
                             {"truncated", found->spans.size() >= Traces::most_spans}};
  co_return web::json(answer);
}

}  // namespace

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

}  // namespace traces
