#include "appliance/hosting/schedule/time_zone.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "web/ascii.h"

namespace schedule {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_name = 64;

// Letters, digits and +-_ in parts between single slashes: no way out of the folder. posix/ and right/ hold the same
// zones again, the latter with leap seconds.
bool is_name(std::string_view name) {
  const auto is_plain = [](unsigned char c) { return web::is_alphanumeric(c) || c == '+' || c == '-' || c == '_'; };
  return !name.empty() && name.size() <= longest_name && is_plain(static_cast<unsigned char>(name.front())) &&
         is_plain(static_cast<unsigned char>(name.back())) && name.find("//") == std::string_view::npos &&
         std::ranges::all_of(name, [&](unsigned char c) { return is_plain(c) || c == '/'; }) &&
         !name.starts_with("posix/") && !name.starts_with("right/") && name != "localtime" && name != "posixrules";
}

}  // namespace

Period TimeZone::at(TimePoint moment) const {
  const auto next = std::ranges::upper_bound(changes_, moment, {}, &OffsetChange::at);
  const auto& current = *std::prev(next);
  return {current.at, next == changes_.end() ? TimePoint::max() : next->at, current.offset};
}

const TimeZone* TimeZones::find(std::string_view name) const {
  if (!is_name(name)) return nullptr;
  const std::scoped_lock lock(mutex_);
  if (const auto known = zones_.find(name); known != zones_.end()) return known->second.get();
  auto zone = load(std::string(name));
  if (!zone) return nullptr;
  return zones_.emplace(name, std::move(zone)).first->second.get();
}

std::unique_ptr<const TimeZone> TimeZones::load(const std::string& name) const {
  std::error_code failure;
  if (fs::is_regular_file(folder_ / name, failure)) {
    std::ifstream file(folder_ / name, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    if (auto changes = read_tzif(bytes)) return std::make_unique<TimeZone>(name, std::move(*changes));
  }
  if (name != "UTC") return nullptr;
  std::vector<OffsetChange> never{{TimePoint::min(), std::chrono::seconds(0)}};
  return std::make_unique<TimeZone>(name, std::move(never));
}

std::string TimeZones::of_the_box() const {
  if (const char* variable = std::getenv("TZ")) {
    const std::string_view name = variable;
    if (const auto* zone = find(name.starts_with(':') ? name.substr(1) : name)) return zone->name();
  }
  std::error_code failure;
  const std::string target = fs::read_symlink("/etc/localtime", failure).string();
  constexpr std::string_view folder = "zoneinfo/";
  if (const auto at = target.find(folder); at != std::string::npos)
    if (const auto* zone = find(std::string_view(target).substr(at + folder.size()))) return zone->name();
  return "UTC";
}

}  // namespace schedule
