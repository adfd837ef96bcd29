// The hosts that a client's pages may come from.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "web/protocol/http.h"

namespace summarizer {

// The box sets this header for agents with a list of hosts. Only trusted from the box.
inline constexpr const char* egress_header = "X-Agentbox-Egress";

// Host names in lower case; ".example.org" stands for all names under example.org. nullopt: any host.
using Egress = std::optional<std::vector<std::string>>;

// The header's value, and back.
std::string egress_text(const std::vector<std::string>& hosts);
Egress egress_of(const web::Request&);

bool admits(const Egress&, std::string_view host);

}  // namespace summarizer
