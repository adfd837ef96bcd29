// The value of OTEL_EXPORTER_OTLP_HEADERS, as OpenTelemetry defines it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agentbox {

// name=value pairs separated by commas, values percent-encoded: "authorization=Bearer%20abc". Nothing for anything
// else, and for names and values that cannot be header fields.
std::optional<std::vector<std::pair<std::string, std::string>>> parse_otlp_headers(std::string_view text);

}  // namespace agentbox
