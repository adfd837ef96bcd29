#include "appliance/media/programs/programs.h"

#include <unistd.h>

namespace programs {

std::optional<std::filesystem::path> find(std::string_view name) {
  for (const std::filesystem::path folder : {"/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin"}) {
    auto path = folder / name;
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return std::nullopt;
}

std::optional<std::filesystem::path> find_rtmp_module() {
  std::filesystem::path path = "/usr/lib/nginx/modules/ngx_rtmp_module.so";
  if (::access(path.c_str(), R_OK) != 0) return std::nullopt;
  return path;
}

std::vector<std::string> missing_packages() {
  std::vector<std::string> missing;
  const auto need = [&](bool is_there, const char* package) {
    if (!is_there) missing.emplace_back(package);
  };
  need(find("ffmpeg").has_value(), "ffmpeg");
  need(find("espeak-ng").has_value(), "espeak-ng");
  need(::access("/usr/share/fonts/truetype/noto", R_OK) == 0, "fonts-noto-core");
  need(find("nginx").has_value(), "nginx-light");
  need(find_rtmp_module().has_value(), "libnginx-mod-rtmp");
  return missing;
}

}  // namespace programs
