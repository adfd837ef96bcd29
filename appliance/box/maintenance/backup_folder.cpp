#include "appliance/box/maintenance/backup_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "appliance/box/maintenance/mirror.h"
#include "appliance/files/descriptor.h"
#include "appliance/network/skills/catalogue.h"
#include "store/engine.h"
#include "store/seal.h"

namespace maintenance {

namespace {

namespace fs = std::filesystem;

using agentbox::config_file_name;
using agentbox::DataFolder;
using agentbox::UsageError;

constexpr std::string_view workspace_name = "workspace";

std::string text_of(const fs::path& path) {
  std::ifstream input(path, std::ios::binary);
  std::stringstream text;
  text << input.rdbuf();
  if (!input) throw UsageError("cannot read " + path.string() + ": check its permissions");
  return text.str();
}

}  // namespace

void copy_skills(const DataFolder& from, const DataFolder& to) {
  const auto source = from.path() / skills::folder_name, copy = to.path() / skills::folder_name;
  if (fs::exists(source))
    mirror(source, copy);
  else
    fs::remove_all(copy);
}

std::vector<LeftOut> copy_workspaces(const fs::path& from, const fs::path& to) {
  std::vector<LeftOut> left_out;
  fs::create_directories(to);
  fs::permissions(to, fs::perms::owner_all);
  if (fs::exists(from))
    for (const auto& agent : fs::directory_iterator(from)) {
      const auto workspace = agent.path() / workspace_name;
      if (!fs::is_directory(fs::symlink_status(workspace))) continue;
      if (const auto folders = mirror(workspace, to / agent.path().filename() / workspace_name))
        left_out.push_back({workspace, folders});
    }
  for (const auto& agent : fs::directory_iterator(to))
    if (!fs::exists(from / agent.path().filename())) fs::remove_all(agent.path());
  return left_out;
}

void sync(const fs::path& folder) {
  const files::Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened || ::syncfs(opened.get()) != 0)
    throw UsageError("cannot write " + folder.string() + ": " + std::strerror(errno));
}

void write_sealed_settings(const DataFolder& from, const DataFolder& to, const std::string& master_key) {
  const auto settings = fs::exists(from.config_file()) ? text_of(from.config_file()) : std::string();
  agentbox::write_private_file(to.path() / sealed_settings_name,
                               store::Sealer(master_key).seal(settings, 0, config_file_name, "text"));
}

std::string read_sealed_settings(const DataFolder& backup, const std::string& master_key) {
  const auto file = backup.path() / sealed_settings_name;
  if (!fs::exists(file))
    throw UsageError("the backup in " + backup.path().string() + " was cut off: " + std::string(sealed_settings_name) +
                     " is missing, make it again");
  try {
    return store::Sealer(master_key).open(text_of(file), 0, config_file_name, "text");
  } catch (const store::Corrupt&) {
    throw UsageError("the master key does not open the backup in " + backup.path().string() +
                     ": use the one of the box that was backed up");
  }
}

void copy_schema_note(const DataFolder& from, const DataFolder& to) {
  const auto note = to.path() / schema_note_name;
  fs::remove(note);
  if (fs::exists(from.path() / schema_note_name)) fs::copy_file(from.path() / schema_note_name, note);
}

std::vector<LeftOut> copy_all_but_store(const DataFolder& from, const DataFolder& to, const std::string& master_key) {
  auto left_out = copy_workspaces(from.agents(), to.agents());
  copy_skills(from, to);
  copy_schema_note(from, to);
  sync(to.path());
  write_sealed_settings(from, to, master_key);
  return left_out;
}

}  // namespace maintenance
