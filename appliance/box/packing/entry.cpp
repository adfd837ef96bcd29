#include "appliance/box/packing/entry.h"

#include <algorithm>

#include "appliance/foundation/data_folder.h"

namespace packing {

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto slash = path.find('/');
    parts.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    path.remove_prefix(slash + 1);
  }
}

bool is_plain_path(std::string_view path) {
  return path.find('\0') == std::string_view::npos && std::ranges::none_of(parts_of(path), [](std::string_view part) {
           return part.empty() || part == "." || part == "..";
         });
}

bool stays_within(std::string_view target, std::size_t depth) {
  if (target.empty() || target.front() == '/') return false;
  std::size_t up = 0;
  bool is_going_up = true;
  for (const auto part : parts_of(target)) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      is_going_up = false;
    } else if (!is_going_up || ++up > depth) {
      return false;
    }
  }
  return true;
}

std::string_view root_of(std::string_view path) {
  const auto parts = parts_of(path);
  if (parts.size() < 3 || parts[0] != "agents" || !agentbox::is_kept_of_agents(parts[2])) return parts[0];
  return path.substr(0, parts[0].size() + parts[1].size() + parts[2].size() + 2);
}

}  // namespace packing
