#include "appliance/box/cli/subcommands.h"

#include <array>
#include <iostream>
#include <memory>
#include <optional>

#include "appliance/box/cli/backup_copy.h"
#include "appliance/box/cli/engine_images.h"
#include "appliance/box/cli/folder_owner.h"
#include "appliance/box/cli/progress.h"
#include "appliance/box/cli/setting_flags.h"
#include "appliance/box/packing/box_pack.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/data_folder.h"
#include "appliance/foundation/master_key.h"

namespace agentbox::cli {

namespace {

namespace fs = std::filesystem;

struct UnpackOptions {
  fs::path file;
  std::optional<fs::path> key_file;
  bool only_check = false;
};

struct GivenKey {
  std::optional<std::string> key;
  bool belongs_in_file = true;  // a key from the environment is not written to the data folder
};

GivenKey given_key(const UnpackOptions& options, const Settings& settings) {
  if (options.key_file) return {.key = read_key_file(*options.key_file)};
  if (!settings.master_key.empty()) return {.key = crypto::unhex(settings.master_key), .belongs_in_file = false};
  if (const auto credential = master_key_credential())
    return {.key = read_key_file(*credential), .belongs_in_file = false};
  return {};
}

std::array<fs::path, 4> parts_of(const DataFolder& folder) {
  return {folder.store(), folder.config_file(), folder.agents(), folder.key_file()};
}

void require_empty(const DataFolder& folder) {
  for (const auto& part : parts_of(folder))
    if (fs::exists(part))
      throw UsageError(folder.path().string() + " already holds a box: unpack into another folder with --data");
}

// A folder within the data folder that is removed at the end.
class Scratch {
 public:
  explicit Scratch(fs::path path) : path_(std::move(path)) {
    fs::remove_all(path_);
    fs::create_directories(path_);
    fs::permissions(path_, fs::perms::owner_all);
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const fs::path& path() const { return path_; }

 private:
  const fs::path path_;
};

void require_room(const fs::path& folder, std::uint64_t bytes) {
  std::error_code unknown;
  const auto space = fs::space(folder, unknown);
  if (!unknown && space.available < bytes)
    throw UsageError("unpacking needs " + shown_bytes(bytes) + ", and " + folder.string() + " has only " +
                     shown_bytes(space.available) + " left: name a folder on another disk with --data");
}

int unpack(const Settings& settings, const UnpackOptions& options) {
  const DataFolder folder(fs::absolute(settings.data).lexically_normal());
  if (!options.only_check) require_empty(folder);
  const auto given = given_key(options, settings);
  packing::CheckedBox box;
  {
    Progress progress("checking");
    box = packing::check_box(options.file, given.key,
                             [&](std::uint64_t done, std::uint64_t all) { progress.report(done, all); });
  }
  std::cout << options.file.string() << " is sound: " << box.entries << " entries, " << shown_bytes(box.bytes)
            << ", packed " << box.made_at << " by agentbox " << box.version << '\n';
  if (!box.is_key_given) std::cout << "the pack holds its own key: this shows that it is undamaged, not who made it\n";
  if (options.only_check) return 0;

  folder.prepare();
  const RestoreOwner kept(folder);
  require_room(folder.path(), box.bytes * 2);
  const Scratch scratch(folder.path() / ".unpacking");
  {
    Progress progress("unpacking");
    packing::extract_box(options.file, box, scratch.path(),
                         [&](std::uint64_t done, std::uint64_t all) { progress.report(done, all); });
  }
  try {
    restore_from(DataFolder(scratch.path()), folder, {.key = box.master_key, .belongs_in_file = given.belongs_in_file});
  } catch (...) {
    for (const auto& part : parts_of(folder)) fs::remove_all(part);  // half a box would be in the way of the next call
    throw;
  }
  const auto image = scratch.path() / "images" / agents_image_name;
  if (fs::exists(image)) {
    fs::create_directories(folder.path() / "images");
    fs::rename(image, folder.path() / "images" / agents_image_name);
  }
  std::cout << "unpacked to " << folder.path().string() << '\n';
  if (!given.belongs_in_file) std::cout << "the key stays in AGENTBOX_MASTER_KEY: set it for agentbox serve, too\n";
  std::cout << "\nNext:\n";
  if (fs::exists(folder.path() / "images" / agents_image_name))
    std::cout << "  agentbox images load " << (folder.path() / "images" / agents_image_name).string() << '\n';
  std::cout << "  look through " << folder.config_file().string() << ": addresses and files of the other machine\n"
            << "  agentbox serve --data " << folder.path().string() << '\n';
  return 0;
}

}  // namespace

void add_unpack(CLI::App& app, std::function<int()>& run) {
  auto* command = app.add_subcommand("unpack", "Create a data folder from a file that pack made");
  const auto options = std::make_shared<UnpackOptions>();
  command->add_option("file", options->file, "the file")->required()->type_name("FILE");
  command->add_option("--key", options->key_file, "master.key of the box that was packed")->type_name("FILE");
  command->add_flag("--check", options->only_check, "read and check all of the file, and write nothing");
  const SettingFlags flags(*command, {"AGENTBOX_DATA", "AGENTBOX_MASTER_KEY"});
  command->callback(
      [&run, flags, options] { run = [flags, options] { return unpack(flags.resolve(false), *options); }; });
}

}  // namespace agentbox::cli
