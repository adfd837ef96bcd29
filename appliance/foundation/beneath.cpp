#include "appliance/foundation/beneath.h"

#include <algorithm>

namespace agentbox {

bool is_beneath(const std::filesystem::path& path, const std::filesystem::path& folder) {
  // A slash at the end would be a part of its own.
  const auto real = [](const std::filesystem::path& given) {
    auto whole = std::filesystem::weakly_canonical(std::filesystem::absolute(given));
    return whole.has_filename() ? whole : whole.parent_path();
  };
  const auto inner = real(path), outer = real(folder);
  return std::ranges::mismatch(inner, outer).in2 == outer.end();
}

}  // namespace agentbox
