// Spans from outside as the box keeps them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "appliance/billing/spans/records.h"
#include "appliance/network/otlp/wire_span.h"

namespace otlp {

struct Sender {
  store::UserId user = 0;
  std::string agent;  // of the box, by its token; empty: an agent elsewhere
};

struct Imported {
  std::vector<spans::Span> spans;
  std::int64_t rejected = 0;
  std::string reason;  // of the first rejection
};

// Spans without valid ids and times are rejected, and those that began more than a week ago or lie ahead. What is too
// long is cut.
Imported import(std::vector<WireSpan>, const Sender&, store::Time now);

}  // namespace otlp
