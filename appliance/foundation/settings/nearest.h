#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agentbox {

// The candidate that a mistyped `word` most likely means; nothing when none is near.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace agentbox
