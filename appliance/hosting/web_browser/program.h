// Finds Chromium, an optional package of the box.
#pragma once

#include <filesystem>
#include <string>

namespace browser {

// The program in the tree that commands see (AGENT_TOOLS), by the setting BROWSER; empty: there is none.
std::filesystem::path find_program(const std::filesystem::path& tools, const std::string& setting);
// A sentence; empty: it is there.
std::string why_no_program(const std::filesystem::path& tools, const std::string& setting);

}  // namespace browser
