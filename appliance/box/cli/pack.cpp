#include "appliance/box/cli/subcommands.h"

#include <iostream>
#include <memory>

#include "appliance/box/cli/backup_copy.h"
#include "appliance/box/cli/commands.h"
#include "appliance/box/cli/engine_images.h"
#include "appliance/box/cli/pack_copy.h"
#include "appliance/box/cli/progress.h"
#include "appliance/box/cli/setting_flags.h"
#include "appliance/box/packing/box_pack.h"
#include "appliance/foundation/beneath.h"
#include "appliance/foundation/data_folder.h"
#include "web/routes/reply.h"

namespace agentbox::cli {

namespace {

namespace fs = std::filesystem;

struct PackOptions {
  fs::path to;
  bool with_key = false, with_image = false;
  std::string acting_as;  // see BoxClient
};

void print_left_out(const packing::LeftOut& left_out) {
  for (const auto& sentence : left_out) std::cout << "left out: " << sentence << '\n';
}

// What distinguishes a copy from one that another call wants.
std::string copy_identity(const DataFolder& folder, const std::string& master_key, const PackOptions& options) {
  return fs::absolute(folder.path()).lexically_normal().string() + '\n' + key_fingerprint(master_key) +
         (options.with_key ? "\nwith its key" : "") + (options.with_image ? "\nwith the image" : "") + '\n';
}

store::Time copy_box(const PackCopy& copy, const Settings& settings, const PackOptions& options) {
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
  folder.require_box();
  const auto master_key = folder.master_key(settings);
  const PackCopy copy(file, copy_identity(folder, master_key, options));
  auto copied = copy.completed();
  if (copied)
    std::cout << "continuing the pack of " << web::iso8601(*copied) << ", which was interrupted; remove "
              << copy.folder().path().string() << " to start over\n";
  else
    copied = copy_box(copy, settings, options);
  const auto written = [&] {
    Progress progress("packing");
    return packing::write_box(copy.folder().path(), *copied, file, master_key,
                              [&](std::uint64_t done, std::uint64_t all) { progress.report(done, all); });
  }();
  copy.remove();
  print_left_out(written.left_out);
  if (written.kept > 0) std::cout << "the interrupted call had packed " << shown_bytes(written.kept) << " of it\n";
  std::cout << "packed into " << file.string() << ", " << shown_bytes(fs::file_size(file)) << '\n'
            << (options.with_key
                    ? "with master.key: this file gives access to every secret of the box, protect it like the box"
                    : "without master.key: carry it separately, the file cannot be unpacked without it")
            << '\n';
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

}  // namespace agentbox::cli
