#include "appliance/hosting/web_browser/program.h"

#include <unistd.h>

#include <array>

namespace browser {

namespace {

namespace fs = std::filesystem;

// The programs themselves: Debian's /usr/bin/chromium is a script for desktops.
constexpr std::array usual_programs{"/usr/lib/chromium/chromium", "/usr/lib/chromium-browser/chromium-browser",
                                    "/usr/lib64/chromium-browser/chromium-browser"};

bool is_there(const fs::path& program, const fs::path& tools) {
  return ::access((tools / program.relative_path()).c_str(), X_OK) == 0;
}

}  // namespace

fs::path find_program(const fs::path& tools) {
  if (tools.empty()) return {};
  for (const fs::path program : usual_programs)
    if (is_there(program, tools)) return program;
  return {};
}

std::string why_no_program(const fs::path& tools) {
  if (tools.empty()) return "AGENT_TOOLS is off.";
  if (!find_program(tools).empty()) return {};
  if (tools != "/") return "The tree of AGENT_TOOLS has no Chromium.";
  return "Chromium is not installed (apt-get install chromium).";
}

}  // namespace browser
