#include "appliance/box/cli/pack.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>

#include "appliance/box/cli/backup_copy.h"
#include "appliance/box/cli/commands.h"
#include "appliance/box/cli/engine_images.h"
#include "appliance/box/cli/progress.h"
#include "appliance/box/cli/setting_flags.h"
#include "appliance/box/maintenance/backup_folder.h"
#include "appliance/box/packing/box_pack.h"
#include "appliance/files/descriptor.h"
#include "appliance/foundation/beneath.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/data_folder.h"
#include "appliance/foundation/master_key.h"
#include "store/codec.h"
#include "web/routes/reply.h"

namespace agentbox::cli {

namespace {

namespace fs = std::filesystem;

struct PackOptions {
  fs::path to;
  bool with_key = false, with_image = false;
  std::string acting_as;  // see BoxClient
};

constexpr auto longest_pause = std::chrono::hours(12);

// The folder beside the file in which the box is copied first. If a call is interrupted while it copies, the next one
// copies what is missing; while it packs, the next one packs the same copy.
class Copy {
 public:
  // Throws UsageError for a folder or draft that is not of a pack, and while another call works on it.
  Copy(const fs::path& file, std::string wanted)
      : folder_(file.string() + ".copy"), draft_(file.string() + ".part"), wanted_(std::move(wanted)) {
    const auto status = fs::symlink_status(folder_.path());
    const bool is_ours = fs::is_directory(status) && (fs::exists(own_mark()) || fs::is_empty(folder_.path()));
    if (fs::exists(status) ? !is_ours : fs::exists(fs::symlink_status(draft_)))
      throw UsageError((fs::exists(status) ? folder_.path() : draft_).string() +
                       " is not of an interrupted pack: move it away, or name another file with --to");
    folder_.prepare("folder of the copy", "--to");
    lock_.reset(::open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!lock_ || ::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0)
      throw UsageError("another pack to " + file.string() + " is being made");
    if (!fs::exists(own_mark())) write_private_file(own_mark(), "");
  }

  const DataFolder& folder() const { return folder_; }
  fs::path images() const { return folder_.path() / "images"; }

  // When a copy of the same was completed that nobody has changed since, unless the call was interrupted too long ago.
  std::optional<store::Time> completed() const {
    std::ifstream mark(complete_mark());
    const std::string content{std::istreambuf_iterator<char>(mark), {}};
    if (!mark.is_open() || content != complete_text()) return std::nullopt;
    const auto last = std::max(last_write(complete_mark()), last_write(draft_));
    return store::now() - last < longest_pause ? std::optional(last_write(complete_mark())) : std::nullopt;
  }
  void begin() const {
    fs::remove(complete_mark());
    fs::remove_all(images());
  }
  store::Time complete() const {
    write_private_file(complete_mark(), complete_text());
    return last_write(complete_mark());
  }
  void remove() const { fs::remove_all(folder_.path()); }

 private:
  fs::path own_mark() const { return folder_.path() / "pack"; }
  fs::path complete_mark() const { return folder_.path() / "complete"; }

  // What was wanted, and what the copy consists of: the names, sizes and times of its files.
  std::string complete_text() const {
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      struct stat info {};
      if (::lstat(entry.path().c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
      const auto name = entry.path().lexically_relative(folder_.path()).string();
      if (name == "complete" || name == packing::journal_name) continue;
      files.push_back(name + ' ' + std::to_string(info.st_size) + ' ' + std::to_string(info.st_mtim.tv_sec) + '.' +
                      std::to_string(info.st_mtim.tv_nsec) + '\n');
    }
    std::ranges::sort(files);
    packing::Sha256 digest;
    for (const auto& line : files) digest.add(line);
    return wanted_ + digest.finish() + '\n';
  }

  static store::Time last_write(const fs::path& path) {
    struct stat info {};
    return store::Time(std::chrono::seconds(::stat(path.c_str(), &info) == 0 ? info.st_mtim.tv_sec : 0));
  }

  const DataFolder folder_;
  const fs::path draft_;
  const std::string wanted_;
  files::Descriptor lock_;
};

void print(const packing::LeftOut& left_out) {
  for (const auto& sentence : left_out) std::cout << "left out: " << sentence << '\n';
}

// What distinguishes a copy from one that another call wants.
std::string wanted(const DataFolder& folder, const PackOptions& options) {
  return fs::absolute(folder.path()).lexically_normal().string() + (options.with_key ? "\nwith its key" : "") +
         (options.with_image ? "\nwith the image" : "") + '\n';
}

store::Time copy_box(const Copy& copy, const Settings& settings, const PackOptions& options) {
  copy.begin();
  back_up_to(copy.folder(), settings,
             {.to = copy.folder().path(), .with_key = options.with_key, .acting_as = options.acting_as});
  if (options.with_image) {
    fs::create_directories(copy.images());
    save_image(settings, settings.agent_image, copy.images() / agents_image_name);
  }
  return copy.complete();
}

int pack(const Settings& settings, const PackOptions& options) {
  const DataFolder folder(settings.data);
  const auto file = fs::absolute(options.to).lexically_normal();
  if (fs::exists(file)) throw UsageError(file.string() + " exists already: remove it, or name another file with --to");
  if (is_beneath(file, folder.path()))
    throw UsageError(file.string() + " is inside the data folder: name a file outside of it with --to");
  if (!fs::is_directory(file.parent_path()))
    throw UsageError("there is no folder " + file.parent_path().string() + ": make it, or name another one with --to");
  const Copy copy(file, wanted(folder, options));
  auto copied = copy.completed();
  if (copied)
    std::cout << "continuing the pack of " << web::iso8601(*copied) << ", which was interrupted; remove "
              << copy.folder().path().string() << " to begin anew\n";
  else
    copied = copy_box(copy, settings, options);
  const auto written = [&] {
    Progress progress("packing");
    return packing::write_box(copy.folder().path(), *copied, file, folder.master_key(settings),
                              [&](std::uint64_t done, std::uint64_t all) { progress.report(done, all); });
  }();
  copy.remove();
  print(written.left_out);
  if (written.kept > 0) std::cout << "the interrupted call had packed " << shown_bytes(written.kept) << " of it\n";
  std::cout << "packed into " << file.string() << ", " << shown_bytes(fs::file_size(file)) << '\n'
            << (options.with_key
                    ? "with master.key: this file gives access to every secret of the box, protect it like the box"
                    : "without master.key: carry it separately, the file cannot be unpacked without it")
            << '\n';
  return 0;
}

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

void add_pack(CLI::App& app, std::function<int()>& run) {
  auto* command = app.add_subcommand("pack", "Pack a box, running or not, into one file that unpack opens");
  const auto options = std::make_shared<PackOptions>();
  command->add_option("--to", options->to, "the file, such as box.agentbox; a folder beside it is used meanwhile")
      ->required();
  command->add_flag("--with-key", options->with_key,
                    "include master.key: the file alone then gives access to every secret of the box");
  command->add_flag("--with-image", options->with_image, "include the agents' image of the Docker Engine");
  command
      ->add_option("--as", options->acting_as,
                   "your name, or an admin's e-mail address, for the audit log [the system user]")
      ->type_name("NAME");
  const SettingFlags flags(*command, {"AGENTBOX_DATA", "AGENTBOX_MASTER_KEY", "BACKEND_LISTEN", "INTERNAL_API_KEY",
                                      "AGENT_IMAGE", "DOCKER_HOST"});
  command->callback([&run, flags, options] { run = [flags, options] { return pack(flags.resolve(), *options); }; });
}

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
