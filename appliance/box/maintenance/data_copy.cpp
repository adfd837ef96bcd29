#include "appliance/box/maintenance/data_copy.h"

#include <fstream>
#include <sstream>

#include "appliance/box/cli/mirror.h"
#include "appliance/network/skills/catalogue.h"
#include "store/seal.h"

namespace maintenance {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view workspace_name = "workspace";

}  // namespace

std::string text_of(const fs::path& path) {
  std::ifstream input(path, std::ios::binary);
  std::stringstream text;
  text << input.rdbuf();
  if (!input) throw agentbox::UsageError("cannot read " + path.string() + ": check its permissions");
  return text.str();
}

void copy_skills(const agentbox::DataFolder& from, const agentbox::DataFolder& to) {
  const auto source = from.path() / skills::folder_name, copy = to.path() / skills::folder_name;
  if (fs::exists(source))
    agentbox::cli::mirror(source, copy);
  else
    fs::remove_all(copy);
}

void copy_workspaces(const fs::path& from, const fs::path& to, const LeftOut& left_out) {
  fs::create_directories(to);
  fs::permissions(to, fs::perms::owner_all);
  if (fs::exists(from))
    for (const auto& agent : fs::directory_iterator(from)) {
      const auto workspace = agent.path() / workspace_name;
      if (!fs::is_directory(fs::symlink_status(workspace))) continue;
      if (const auto count = agentbox::cli::mirror(workspace, to / agent.path().filename() / workspace_name))
        left_out(workspace, count);
    }
  for (const auto& agent : fs::directory_iterator(to))
    if (!fs::exists(from / agent.path().filename())) fs::remove_all(agent.path());
}

void seal_settings(const agentbox::DataFolder& from, const agentbox::DataFolder& to, const std::string& master_key) {
  const auto settings = fs::exists(from.config_file()) ? text_of(from.config_file()) : std::string();
  agentbox::write_private_file(to.path() / sealed_settings_name,
                               store::Sealer(master_key).seal(settings, 0, agentbox::config_file_name, "text"));
}

}  // namespace maintenance
