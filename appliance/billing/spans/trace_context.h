// Which trace a piece of work belongs to (W3C Trace Context). A chat passes it to the agent, the agent with its model
// calls and reports back to the box, so that all of them make up one tree.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace spans {

struct TraceContext {
  std::string trace_id;   // 32 hex digits; empty: none, a span starts a trace of its own
  std::string parent_id;  // 16 hex digits: the span in which the work is done; empty: none

  // Of a `traceparent` header; an empty context for anything that is not one.
  static TraceContext parse(std::string_view traceparent);
  // The header's value; the context must not be empty.
  std::string header() const { return "00-" + trace_id + "-" + parent_id + "-01"; }
  bool is_empty() const { return trace_id.empty(); }
};

inline constexpr const char* traceparent = "traceparent";

// Lower-case hex of this length, and not all zeros.
bool is_trace_id(std::string_view);
bool is_span_id(std::string_view);
std::string new_trace_id();
std::string new_span_id();

}  // namespace spans
