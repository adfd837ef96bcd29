#pragma once

#include <filesystem>

namespace agentbox {

// Whether `path` is `folder` or inside of it, whatever links lead there. Either may be missing.
bool is_beneath(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace agentbox
