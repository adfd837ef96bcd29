// Reads traces: the newest spans, pages of traces, and one trace with its spans.
#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "appliance/billing/spans/recorder.h"
#include "appliance/hosting/agents/directory.h"
#include "store/store.h"
#include "web/task.h"

namespace traces {

// The names of a user's agents, those elsewhere included.
class AgentNames {
 public:
  explicit AgentNames(const std::vector<agents::AgentSummary>&);
  // The id of an agent that has been deleted. Empty without an agent.
  std::string of(const std::string& agent) const;
  std::string of(const spans::Span& span) const { return span.is_foreign ? span.agent : of(span.agent); }
  std::string of(const spans::Trace& trace) const { return trace.is_foreign ? trace.agent : of(trace.agent); }

 private:
  std::unordered_map<std::string, std::string> names_;
};

struct Filter {
  std::string agent;  // empty: any
  std::optional<spans::Type> type;
  std::optional<bool> has_errors;
  std::optional<store::Time> since, until;
  std::string before;  // id of a trace's row; empty: from the newest
  std::size_t limit = 50;
};

struct Page {
  std::vector<spans::Trace> traces;  // newest first
  std::optional<std::string> next;   // Filter::before of the next page; not set: there is none
};

struct WholeTrace {
  spans::Trace trace;
  std::vector<spans::Span> spans;  // oldest first
};

// Callable from every thread; the arguments must outlive it.
class Traces {
 public:
  // The spans of one trace that are read at most.
  static constexpr std::size_t max_spans = 2'000;

  Traces(store::System system, spans::Recorder& recorder, const agents::AgentDirectory& directory)
      : system_(std::move(system)), recorder_(recorder), directory_(directory) {}

  // Those in progress included, newest first.
  web::Task<std::vector<spans::Span>> newest(store::UserId, std::size_t limit);
  web::Task<Page> page(store::UserId, Filter);
  // Work in progress, newest first.
  std::vector<spans::Span> running(store::UserId) const;
  // Work in progress included. Nothing for an unknown trace.
  web::Task<std::optional<WholeTrace>> find(store::UserId, std::string trace_id);
  AgentNames names(store::UserId user) const { return AgentNames(directory_.list(user)); }

 private:
  std::vector<spans::Trace> read(store::UserId, const Filter&, const std::string& before) const;

  store::System system_;
  spans::Recorder& recorder_;
  const agents::AgentDirectory& directory_;
};

}  // namespace traces
