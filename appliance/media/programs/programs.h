// The programs of other projects that this module runs: optional packages of the box, looked for when needed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace programs {

// The path of an installed program: in /usr/local/bin, /usr/bin, /bin, /usr/local/sbin or /usr/sbin.
std::optional<std::filesystem::path> find(std::string_view name);

// nginx's module for RTMP.
std::optional<std::filesystem::path> find_rtmp_module();

// The Debian packages of the kind `media` (packages.txt) without which a part of the media does not work.
std::vector<std::string> missing_packages();

}  // namespace programs
