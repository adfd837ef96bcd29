#include "appliance/media/programs/programs.h"
#include "appliance/box/cli/doctor/checks.h"
#include "appliance/hosting/web_browser/program.h"
#include "appliance/runtime/commands.h"

namespace agentbox::cli::doctor {

namespace {

namespace fs = std::filesystem;

Finding optional(const std::string& check, bool is_there, const std::string& use, const std::string& package) {
  if (is_there) return {check, Level::ok, "installed", {}};
  return {check, Level::note, "not installed: no " + use, "apt-get install " + package + ", if you want this"};
}

// The box's own reason is in /health: browsers also need what commands need.
Finding check_browser(const Settings& settings) {
  const auto why = browser::why_no_program(runtime::tools_folder(settings.agent_tools), settings.browser);
  if (why.empty()) return {"browser of agents", Level::ok, "installed", {}};
  const bool is_named = settings.browser != "auto";
  return {"browser of agents", is_named && settings.browser != "off" ? Level::warning : Level::note,
          why + " Agents have no browser",
          is_named ? "set BROWSER to auto or to the path of a Chromium, if you want this"
                   : "apt-get install chromium, if you want this"};
}

}  // namespace

Findings check_programs(const Settings& settings) {
  return {check_browser(settings),
          optional("ffmpeg", ::programs::find("ffmpeg").has_value(), "generated videos", "ffmpeg"),
          optional("espeak-ng", ::programs::find("espeak-ng").has_value(), "narration of videos", "espeak-ng"),
          optional("fonts", fs::exists("/usr/share/fonts/truetype/noto"), "titles in most scripts",
                   "fonts-noto-core fonts-droid-fallback"),
          optional("nginx with RTMP", ::programs::find("nginx") && ::programs::find_rtmp_module(),
                   "live streams on the box", "nginx-light libnginx-mod-rtmp")};
}

}  // namespace agentbox::cli::doctor
