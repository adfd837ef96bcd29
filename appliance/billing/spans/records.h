// What agents did: one span for each turn, tool call, model call and event of the watchdog, one row for each trace, and
// one for each agent with what a look at the fleet needs. Everything here may be lost for a second.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/store.h"
#include "store/table.h"

namespace spans {

BOOST_DEFINE_ENUM_CLASS(Type, plan, tool_call, inference, monitor)
// idle: it ended without a result that counts, as an agent that was stopped does.
BOOST_DEFINE_ENUM_CLASS(Status, success, running, idle, error)

struct Span {
  std::int64_t owner = 0;
  std::string id;  // <milliseconds of the start, 13 digits>-<span id>: ordered by time
  std::string trace_id, span_id;
  std::string parent_id;  // empty: the root of its trace
  Type type = Type::plan;
  Status status = Status::success;
  std::string name;
  std::string agent;        // an agent's id, or the name of an agent elsewhere; empty: none
  bool is_foreign = false;  // of an agent elsewhere
  store::Time started_at{};
  std::optional<std::int64_t> duration_us;  // not set: not timed
  std::optional<std::int64_t> input_tokens, output_tokens;
  std::int64_t cost = 0;  // usage::Money::units
  std::string model, provider;
  std::string error;  // status error: why, in a sentence
  boost::json::object attributes;
};
BOOST_DESCRIBE_STRUCT(Span, (),
                      (owner, id, trace_id, span_id, parent_id, type, status, name, agent, is_foreign, started_at,
                       duration_us, input_tokens, output_tokens, cost, model, provider, error, attributes))

// A trace as the spans that have arrived show it.
struct Trace {
  std::int64_t owner = 0;
  std::string id;  // <milliseconds of the first span that arrived, 13 digits>-<trace id>
  std::string trace_id;
  bool has_root = false;  // its root span has arrived, and gave it name, type and agent
  std::string name, agent;
  Type type = Type::plan;
  bool is_foreign = false;
  store::Time started_at{}, ended_at{};
  std::int64_t spans = 0, errors = 0;
  std::int64_t input_tokens = 0, output_tokens = 0, cost = 0;
};
BOOST_DESCRIBE_STRUCT(Trace, (),
                      (owner, id, trace_id, has_root, name, agent, type, is_foreign, started_at, ended_at, spans,
                       errors, input_tokens, output_tokens, cost))

// Hourly counts of the last day; the last one is of `hour`.
struct HourCounts {
  std::int64_t hour = 0;  // since the epoch
  std::vector<std::int64_t> counts;
};
BOOST_DESCRIBE_STRUCT(HourCounts, (), (hour, counts))

// An agent as its spans show it.
struct Activity {
  std::int64_t owner = 0;
  std::string id;  // Span::agent
  bool is_foreign = false;
  store::Time last_at{};
  std::int64_t turns = 0;  // all of them
  std::string recent;      // the last 100 turns, oldest first: '1' succeeded, '0' failed
  HourCounts messages;     // turns that began
};
BOOST_DESCRIBE_STRUCT(Activity, (), (owner, id, is_foreign, last_at, turns, recent, messages))

// Messages from one agent to another of the same owner.
struct Link {
  std::int64_t owner = 0;
  std::string id;  // link_id()
  std::string from, to;
  HourCounts messages;
};
BOOST_DESCRIBE_STRUCT(Link, (), (owner, id, from, to, messages))

}  // namespace spans

// There are many of them, and most members have their defaults.
template <>
inline constexpr bool store::leaves_out_defaults<spans::Span> = true;
template <>
inline constexpr bool store::leaves_out_defaults<spans::Trace> = true;

namespace spans {

inline const store::Owned<Span> table{{.family = "spans", .number = 80, .access = store::Access::by_history},
                                      &Span::owner,
                                      &Span::id,
                                      {store::scoped<Span>(1, "trace", &Span::trace_id)}};

// The value of the index "agent": the traces of one agent, newest first. Owner and agent come first, so that a range of
// them holds no others.
std::string newest_first(std::int64_t owner, std::string_view agent, std::string_view trace_row);

inline const store::Owned<Trace> traces{
    {.family = "traces", .number = 81},
    &Trace::owner,
    &Trace::id,
    {store::scoped<Trace>(1, "trace", &Trace::trace_id),
     {.number = 2, .name = "agent", .key = [](const Trace& trace) {
        return trace.agent.empty() ? std::nullopt : std::optional(newest_first(trace.owner, trace.agent, trace.id));
      }}}};

inline const store::Owned<Activity> activities{
    {.family = "agent_activity", .number = 82}, &Activity::owner, &Activity::id, {}};

inline const store::Owned<Link> links{{.family = "agent_links", .number = 83}, &Link::owner, &Link::id, {}};
std::string link_id(std::string_view from, std::string_view to);

// Per user, and how many are kept. Agents elsewhere beyond their number are seen in traces only.
inline const store::CounterName count{"spans"}, foreign_count{"foreign_agents"};
inline constexpr std::int64_t max_spans = 100'000, max_foreign_agents = 200;
inline constexpr std::size_t recent_turns = 100;

// Adds to the count at this time, and drops hours that are more than a day before it.
void add(HourCounts&, store::Time at, std::int64_t number = 1);
// The sum of the last 24 hours before `now`, the current one included.
std::int64_t last_day(const HourCounts&, store::Time now);

// The id of a span's row, of its start and span id.
std::string row_id(store::Time, std::string_view id);

}  // namespace spans
