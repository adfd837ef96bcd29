// A span as it arrives in OpenTelemetry's protocol, whichever encoding it came in.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "web/result.h"

namespace otlp {

struct WireSpan {
  std::string trace_id, span_id, parent_id;  // lower-case hex; the last may be empty
  std::string name;
  std::uint64_t start = 0, end = 0;  // nanoseconds since the epoch
  bool is_error = false;
  std::string error;
  boost::json::object attributes;
  std::string service;  // of its resource: service.name
};

// Beyond these a request is refused, and a span's further attributes are dropped.
inline constexpr std::size_t max_spans = 10'000, max_attributes = 64, deepest_value = 8;

inline constexpr std::uint64_t status_code_error = 2;  // Status.code in both encodings

// Bodies of requests to /v1/traces (ExportTraceServiceRequest). invalid, saying where.
web::Result<std::vector<WireSpan>> read_protobuf(std::string_view body);
web::Result<std::vector<WireSpan>> read_json(std::string_view body);

}  // namespace otlp
