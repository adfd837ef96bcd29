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

}  // namespace programs
