#include "appliance/hosting/mcp_servers/packages.h"

#include <algorithm>
#include <boost/json.hpp>
#include <fstream>
#include <sstream>

#include "web/ascii.h"
#include "web/routes/fields.h"

namespace mcp_servers {

namespace fs = std::filesystem;

bool is_package_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && web::is_alphanumeric(name.front()) &&
         std::ranges::all_of(name, [](char c) { return web::is_alphanumeric(c) || c == '.' || c == '_' || c == '-'; });
}

std::optional<Package> find_package(const fs::path& folder, std::string_view name) {
  if (!is_package_name(name)) return std::nullopt;
  std::ifstream file(folder / name / package_note, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return std::nullopt;
  const auto value = web::parse_json(text.str(), "note");
  if (!value) return std::nullopt;
  auto package = boost::json::try_value_to<Package>(*value);
  if (!package || package->name != name || package->program.empty()) return std::nullopt;
  return std::move(*package);
}

std::vector<Package> packages_in(const fs::path& folder) {
  std::vector<Package> packages;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    if (auto package = find_package(folder, at->path().filename().string())) packages.push_back(std::move(*package));
  std::ranges::sort(packages, {}, &Package::name);
  return packages;
}

}  // namespace mcp_servers
