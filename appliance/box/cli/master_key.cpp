#include "appliance/box/cli/subcommands.h"

#include <filesystem>
#include <iostream>
#include <utility>

#include "appliance/box/cli/folder_owner.h"
#include "appliance/box/cli/setting_flags.h"
#include "appliance/box/open_store.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/data_folder.h"
#include "appliance/foundation/master_key.h"
#include "appliance/identity/kept_keys.h"
#include "store/reseal.h"

namespace agentbox::cli {

namespace {

namespace fs = std::filesystem;

// Of a call that was cut off, else a random one, which is on disk before anything is sealed under it.
std::string new_key_in(const DataFolder& folder) {
  const auto file = next_master_key_file(folder.path());
  if (fs::exists(fs::symlink_status(file))) return read_own_key_file(file);
  auto key = crypto::random_bytes(32);
  write_key_file(file, key);
  return key;
}

int rotate(const Settings& given, const fs::path& given_key) {
  const DataFolder folder(given.data);
  folder.require_box();
  const bool is_in_folder = is_master_key_in_folder(given);
  if (!is_in_folder && given_key.empty())
    throw UsageError("the master key is kept elsewhere: write the new one to a file (openssl rand -hex 32), and name " +
                     std::string("it with --new-key"));
  const auto named_key = given_key.empty() ? std::string() : read_key_file(given_key);
  auto settings = given;
  settings.master_key = crypto::hex(folder.master_key(given));  // the folder's owner may not see where it comes from
  become_owner(folder);
  const auto new_key = given_key.empty() ? new_key_in(folder) : named_key;
  auto options = store_options(settings);
  if (options.master_key == new_key && is_in_folder) throw UsageError("this is the master key already");
  keep_box_fingerprint(folder, settings);
  const auto count = store::reseal(options, new_key);
  const auto old_key = std::exchange(options.master_key, new_key);
  identity::keep_keys(store::Store::open(options)->system(), old_key);
  if (is_in_folder) {
    write_key_file(folder.key_file(), new_key);
    fs::remove(next_master_key_file(folder.path()));
  }
  std::cout << "sealed " << count << " secrets under the new master key\n"
            << (is_in_folder ? "master.key has it. " : "Give it to the box before you start it. ")
            << "Keep the old one as long as you keep backups that were made with it.\n";
  return 0;
}

}  // namespace

void add_rotate_master_key(CLI::App& admin, std::function<int()>& run) {
  auto* command =
      admin.add_subcommand("rotate-master-key", "Seal all secrets under a new master key; stop the box first");
  const SettingFlags flags(*command, {"AGENTBOX_DATA", "AGENTBOX_MASTER_KEY", "AGENTBOX_MASTER_KEY_FILE"});
  const auto new_key = std::make_shared<fs::path>();
  command
      ->add_option("--new-key", *new_key,
                   "file with the new key, 64 hex digits [a random one, if the key is in the data "
                   "folder]")
      ->type_name("PATH");
  command->callback([&run, flags, new_key] { run = [flags, new_key] { return rotate(flags.resolve(), *new_key); }; });
}

}  // namespace agentbox::cli
