// What the summarizer's process has fetched, as lines for the box that started it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "web/client/outbound.h"

namespace summarizer {

// A JSON object and a line end for each entry.
std::string report_of(const std::vector<web::OutboundEntry>&);
// A line without its end. The process that wrote it reads hostile pages: nothing unless every part of it is plausible,
// and the part of the box is always "summarizer".
std::optional<web::OutboundEntry> read_report(std::string_view line);

}  // namespace summarizer
