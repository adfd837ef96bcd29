#include "appliance/network/traces/traces.h"

#include <algorithm>

namespace traces {

namespace {

constexpr std::size_t read_at_once = 200, max_examined = 5'000;

// Sorts after every id of that time.
std::string end_of(store::Time at) { return spans::row_id(at, "~"); }

bool matches(const spans::Trace& trace, const Filter& filter) {
  return (!filter.type || trace.type == *filter.type) &&
         (!filter.has_errors || *filter.has_errors == (trace.errors > 0));
}

// A trace that is known by its work in progress only.
spans::Trace begun_trace(const spans::Span& span) {
  spans::Trace trace;
  trace.owner = span.owner;
  trace.id = spans::row_id(span.started_at, span.trace_id);
  trace.trace_id = span.trace_id;
  trace.name = span.name;
  trace.agent = span.agent;
  trace.type = span.type;
  trace.started_at = trace.ended_at = span.started_at;
  return trace;
}

}  // namespace

AgentNames::AgentNames(const std::vector<agents::AgentSummary>& agents) {
  for (const auto& agent : agents) names_.emplace(agent.id, agent.name);
}

std::string AgentNames::of(const std::string& agent) const {
  const auto found = names_.find(agent);
  return found == names_.end() ? agent : found->second;
}

std::vector<spans::Span> Traces::running(store::UserId user) const {
  auto found = recorder_.running(user);
  std::ranges::sort(found, std::ranges::greater(), &spans::Span::id);
  return found;
}

web::Task<std::vector<spans::Span>> Traces::newest(store::UserId user, std::size_t limit) {
  auto found = recorder_.running(user);  // before those that have ended: one that ends meanwhile is found twice
  co_await recorder_.written();
  for (auto& span : system_.tenant(user).list(spans::table, {.limit = limit, .newest_first = true}))
    found.push_back(std::move(span));
  // Of one id the ended one is kept.
  std::ranges::stable_sort(found, [](const spans::Span& one, const spans::Span& other) {
    const bool is_ended = one.status != spans::Status::running, is_other_ended = other.status != spans::Status::running;
    return std::pair(one.id, is_ended) > std::pair(other.id, is_other_ended);
  });
  const auto is_same = [](const spans::Span& one, const spans::Span& other) { return one.id == other.id; };
  found.erase(std::unique(found.begin(), found.end(), is_same), found.end());
  if (found.size() > limit) found.resize(limit);
  co_return found;
}

web::Task<Page> Traces::page(store::UserId user, Filter filter) {
  co_await recorder_.written();
  Page page;
  auto before = filter.before;
  if (filter.until) before = before.empty() ? end_of(*filter.until) : std::min(before, end_of(*filter.until));
  const auto oldest = filter.since ? spans::row_id(*filter.since, "") : std::string();
  for (std::size_t examined = 0; examined < max_examined;) {
    const auto rows = read(user, filter, before);
    for (const auto& trace : rows) {
      if (trace.id < oldest) co_return page;
      before = trace.id;
      if (!matches(trace, filter)) continue;
      page.traces.push_back(trace);
      if (page.traces.size() == filter.limit) {
        page.next = before;
        co_return page;
      }
    }
    if (rows.size() < read_at_once) co_return page;
    examined += rows.size();
  }
  page.next = before;  // few of them match: the caller may go on
  co_return page;
}

// In descending order of their ids.
std::vector<spans::Trace> Traces::read(store::UserId user, const Filter& filter, const std::string& before) const {
  if (filter.agent.empty())
    return system_.tenant(user).list(spans::traces, {.limit = read_at_once, .after = before, .newest_first = true});
  const auto all = spans::newest_first(user, filter.agent, {});
  const auto from = before.empty() ? all : spans::newest_first(user, filter.agent, before) + "\x01";
  return system_.find_range(spans::traces, "agent", from, all + ":", read_at_once);
}

web::Task<std::optional<WholeTrace>> Traces::find(store::UserId user, std::string trace_id) {
  auto running = recorder_.running(user);
  std::erase_if(running, [&](const spans::Span& span) { return span.trace_id != trace_id; });
  co_await recorder_.written();
  const auto tenant = system_.tenant(user);
  const auto rows = tenant.find(spans::traces, "trace", trace_id, 1);
  if (rows.empty() && running.empty()) co_return std::nullopt;
  WholeTrace found{.trace = rows.empty() ? begun_trace(running.front()) : rows.front(),
                   .spans = tenant.find(spans::table, "trace", trace_id, max_spans)};
  for (auto& span : running)
    if (std::ranges::find(found.spans, span.id, &spans::Span::id) == found.spans.end())
      found.spans.push_back(std::move(span));
  std::ranges::sort(found.spans, {}, &spans::Span::id);
  co_return found;
}

}  // namespace traces
