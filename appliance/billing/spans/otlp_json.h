// Spans as OpenTelemetry's protocol has them (OTLP/HTTP with JSON), with the attributes of its conventions for
// generative AI.
#pragma once

#include <boost/json/object.hpp>
#include <string_view>
#include <vector>

#include "appliance/billing/spans/records.h"

namespace spans {

// The body of a request to <endpoint>/v1/traces. `service` names the sender (service.name).
boost::json::object to_otlp(const std::vector<Span>&, std::string_view service);

}  // namespace spans
