// Packages with servers that the administrator has loaded (`agentbox mcp load`): one folder each, with a note that says
// what to run. Agents see them read-only.
#pragma once

#include <boost/describe.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mcp_servers {

struct Package {
  std::string name;     // of the folder
  std::string package;  // as its publisher names it
  std::string version;
  std::string program;  // the file that node runs, below the folder
};
BOOST_DESCRIBE_STRUCT(Package, (), (name, package, version, program))

inline constexpr auto package_note = "agentbox.json";

// 1 to 64 letters, digits, '.', '_' and '-', of which the first is a letter or digit.
bool is_package_name(std::string_view);
// `folder`: of all packages. Both block. Nothing if there is none, or its note is invalid.
std::optional<Package> find_package(const std::filesystem::path& folder, std::string_view name);
std::vector<Package> packages_in(const std::filesystem::path& folder);

}  // namespace mcp_servers
