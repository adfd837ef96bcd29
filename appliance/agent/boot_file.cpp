#include "appliance/agent/boot_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "web/routes/fields.h"

namespace agent_process {

namespace {
constexpr std::size_t max_boot_file_bytes = 128 * 1024;  // a config of 64 KB may be most of it
}

web::Result<runtime::Boot> read_boot_file(const std::filesystem::path& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text(max_boot_file_bytes + 1, '\0');
  if (!file) return web::invalid("cannot open the boot file " + path.string() + ": " + std::strerror(errno));
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > max_boot_file_bytes) return web::invalid("the boot file is larger than 128 KB");

  const auto value = web::parse_json(text, "the boot file");
  if (!value) return value.error();
  auto boot = web::parse_value<runtime::Boot>(*value);
  if (!boot) return web::invalid("the boot file: " + boot.error().message);
  for (const auto& [name, field] :
       {std::pair("listen", &boot->listen), std::pair("workspace", &boot->workspace),
        std::pair("gateway_token", &boot->gateway_token), std::pair("backend_url", &boot->backend_url)}) {
    if (field->empty()) return web::invalid(std::string("the boot file: ") + name + " must not be empty");
  }
  return std::move(*boot);
}

}  // namespace agent_process
