#include "appliance/media/programs/programs.h"
#include "appliance/box/cli/doctor/checks.h"

namespace agentbox::cli::doctor {

namespace {

namespace fs = std::filesystem;

Finding optional(const std::string& check, bool is_there, const std::string& use, const std::string& package) {
  if (is_there) return {check, Level::ok, "installed", {}};
  return {check, Level::note, "not installed: no " + use, "apt-get install " + package + ", if you want this"};
}

}  // namespace

Findings check_programs() {
  return {optional("ffmpeg", ::programs::find("ffmpeg").has_value(), "generated videos", "ffmpeg"),
          optional("espeak-ng", ::programs::find("espeak-ng").has_value(), "narration of videos", "espeak-ng"),
          optional("fonts", fs::exists("/usr/share/fonts/truetype/noto"), "titles in most scripts",
                   "fonts-noto-core fonts-droid-fallback"),
          optional("nginx with RTMP", ::programs::find("nginx") && ::programs::find_rtmp_module(),
                   "live streams on the box", "nginx-light libnginx-mod-rtmp")};
}

}  // namespace agentbox::cli::doctor
