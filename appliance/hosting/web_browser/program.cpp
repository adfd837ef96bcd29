#include "appliance/hosting/web_browser/program.h"

#include <unistd.h>

#include <algorithm>
#include <array>

namespace browser {

namespace {

namespace fs = std::filesystem;

// The programs themselves: Debian's /usr/bin/chromium is a script for desktops.
constexpr std::array usual_programs{"/usr/lib/chromium/chromium", "/usr/lib/chromium-browser/chromium-browser",
                                    "/usr/lib64/chromium-browser/chromium-browser"};

// All that commands see of this machine, besides configuration (sandbox/tree.h).
constexpr std::array shown_folders{"/usr/", "/bin/", "/lib/", "/lib64/"};

bool is_shown(const fs::path& program, const fs::path& tools) {
  const auto is_below = [text = program.lexically_normal().string()](const char* one) { return text.starts_with(one); };
  return tools != "/" || std::ranges::any_of(shown_folders, is_below);
}

bool is_there(const fs::path& program, const fs::path& tools) {
  const auto path = tools / program.relative_path();
  std::error_code failed;
  return fs::is_regular_file(path, failed) && ::access(path.c_str(), X_OK) == 0 && is_shown(program, tools);
}

}  // namespace

fs::path find_program(const fs::path& tools, const std::string& setting) {
  if (tools.empty() || setting == "off") return {};
  if (setting != "auto") return is_there(setting, tools) ? fs::path(setting) : fs::path();
  for (const auto* program : usual_programs)
    if (is_there(program, tools)) return program;
  return {};
}

std::string why_no_program(const fs::path& tools, const std::string& setting) {
  if (setting == "off") return "BROWSER is off.";
  if (tools.empty()) return "AGENT_TOOLS is off.";
  if (!find_program(tools, setting).empty()) return {};
  if (setting != "auto" && !is_shown(setting, tools))
    return "BROWSER names " + setting + ", which agents do not see: they see the programs of usr alone.";
  if (setting != "auto") return "BROWSER names " + setting + ", which is no program there.";
  if (tools != "/") return "The tree of AGENT_TOOLS has no Chromium.";
  return "Chromium is not installed (apt-get install chromium).";
}

}  // namespace browser
