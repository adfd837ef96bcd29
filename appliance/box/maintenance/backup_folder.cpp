#include "appliance/box/maintenance/backup_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>

#include "appliance/box/maintenance/backup_draft.h"
#include "appliance/box/maintenance/mirror.h"
#include "appliance/files/root.h"
#include "appliance/foundation/descriptor.h"
#include "appliance/network/skills/catalogue.h"
#include "store/engine.h"
#include "store/seal.h"

namespace maintenance {

namespace {

namespace fs = std::filesystem;

using agentbox::config_file_name;
using agentbox::DataFolder;
using agentbox::UsageError;

// A folder, unless it is missing.
files::Descriptor open_folder(const fs::path& parent, const std::string& name) {
  auto folder = agentbox::open_in_folder(parent, name, O_RDONLY | O_DIRECTORY);
  if (!folder && errno != ENOENT)
    throw fs::filesystem_error("cannot open", parent / name, std::error_code(errno, std::generic_category()));
  return folder;
}

files::Descriptor open_folder(const files::Descriptor& parent, const std::string& name) {
  return files::Descriptor(::openat(parent.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

}  // namespace

void copy_skills(const DataFolder& from, const DataFolder& to, const DataFolder* before) {
  const auto source = open_folder(from.path(), std::string(skills::folder_name));
  const auto copy = to.path() / skills::folder_name;
  if (source)
    mirror(source, copy, before ? before->path() / skills::folder_name : fs::path());
  else
    fs::remove_all(copy);
}

std::vector<LeftOut> copy_workspaces(const DataFolder& from, const DataFolder& to, const DataFolder* before) {
  std::vector<LeftOut> left_out;
  if (!fs::is_directory(fs::symlink_status(to.agents()))) fs::remove(to.agents());
  fs::create_directories(to.agents());
  fs::permissions(to.agents(), fs::perms::owner_all);
  const auto agents = open_folder(from.path(), from.agents().filename());
  std::set<std::string> present;
  for (const auto& name : agents ? files::names_in(agents) : std::vector<std::string>()) {
    present.insert(name);
    const auto agent = open_folder(agents, name);
    if (!agent) continue;
    for (const auto kept : agentbox::kept_agent_folders) {
      const fs::path place = fs::path(name) / kept;
      const auto folder = open_folder(agent, std::string(kept));
      if (!folder) {
        if (errno == EACCES || errno == EPERM)
          left_out.push_back({from.agents() / place, {std::string("all of it: ") + std::strerror(errno)}});
        continue;
      }
      const auto earlier = before ? before->agents() / place : fs::path();
      if (auto what = sentences(mirror(folder, to.agents() / place, earlier)); !what.empty())
        left_out.push_back({from.agents() / place, std::move(what)});
    }
  }
  for (const auto& agent : fs::directory_iterator(to.agents()))
    if (!present.contains(agent.path().filename().string())) fs::remove_all(agent.path());
  return left_out;
}

void sync(const fs::path& folder) {
  const files::Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened || ::syncfs(opened.get()) != 0)
    throw UsageError("cannot write " + folder.string() + ": " + std::strerror(errno));
}

void write_sealed_settings(const DataFolder& from, const DataFolder& to, const std::string& master_key) {
  const auto settings = agentbox::read_folder_file(from.config_file()).value_or(std::string());
  agentbox::write_private_file(to.path() / sealed_settings_name,
                               store::Sealer(master_key).seal(settings, 0, config_file_name, "text"));
}

std::string read_sealed_settings(const DataFolder& backup, const std::string& master_key) {
  const auto sealed = agentbox::read_folder_file(backup.path() / sealed_settings_name);
  if (!sealed)
    throw UsageError("the backup in " + backup.path().string() + " was cut off: " + std::string(sealed_settings_name) +
                     " is missing, make it again");
  try {
    return store::Sealer(master_key).open(*sealed, 0, config_file_name, "text");
  } catch (const store::Corrupt&) {
    throw UsageError("the master key does not open the backup in " + backup.path().string() +
                     ": use the one of the box that was backed up");
  }
}

void copy_schema_note(const DataFolder& from, const DataFolder& to) {
  const auto note = agentbox::read_folder_file(from.path() / schema_note_name);
  fs::remove(to.path() / schema_note_name);
  if (note) agentbox::write_private_file(to.path() / schema_note_name, *note);
}

std::vector<LeftOut> copy_all_but_store(const DataFolder& from, const BackupDraft& draft,
                                        const std::string& master_key) {
  const auto& to = draft.folder();
  auto left_out = copy_workspaces(from, to, &draft.before());
  copy_skills(from, to, &draft.before());
  copy_schema_note(from, to);
  write_sealed_settings(from, to, master_key);
  return left_out;
}

}  // namespace maintenance
