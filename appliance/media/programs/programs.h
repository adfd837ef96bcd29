// The programs of other projects that this module runs: optional packages of the box, looked for when needed.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace programs {

// The path of an installed program: in /usr/local/bin, /usr/bin, /bin, /usr/local/sbin or /usr/sbin.
std::optional<std::filesystem::path> find(std::string_view name);

// nginx's module for RTMP.
std::optional<std::filesystem::path> find_rtmp_module();

}  // namespace programs
