#include "appliance/box/cli/subcommands.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>

#include "appliance/box/cli/box_client.h"
#include "appliance/box/cli/folder_owner.h"
#include "appliance/box/cli/setting_flags.h"
#include "appliance/foundation/crypto/ssh_signature.h"
#include "appliance/foundation/data_folder.h"
#include "appliance/models/catalogue.h"

namespace agentbox::cli {

namespace {

namespace fs = std::filesystem;

constexpr auto name_space = "agentbox-catalogue";

struct CatalogueOptions {
  fs::path file, signature, key;
  bool takes_unsigned = false;
};

std::string read_input(const fs::path& path, const char* what) {
  std::ifstream input(path, std::ios::binary);
  std::ostringstream text;
  text << input.rdbuf();
  if (!input) throw UsageError(std::string("cannot read the ") + what + " " + path.string());
  return text.str();
}

// With the key that is named, else with the one that the data folder keeps for this.
void require_signature(const CatalogueOptions& options, const DataFolder& folder, const std::string& text) {
  const auto key = options.key.empty() ? folder.path() / "catalogue.pub" : options.key;
  if (!fs::exists(key))
    throw UsageError("there is no key to check the signature with: name one with --key, keep it in " + key.string() +
                     ", or take the file as it is with --unsigned");
  const auto file = options.signature.empty() ? fs::path(options.file).concat(".sig") : options.signature;
  if (!fs::exists(file)) throw UsageError(options.file.string() + " is not signed: " + file.string() + " is missing");
  if (!crypto::is_ssh_signature(text, read_input(file, "signature"), read_input(key, "key"), name_space))
    throw UsageError(options.file.string() + " is not signed by the key in " + key.string());
}

// A running box takes the file over at once.
void tell_box(const Settings& settings) {
  const BoxClient box(settings);
  if (!box.is_running()) return;
  box.call("POST", "/api/admin/models/reload");
  std::cout << "the running box uses it\n";
}

int update(const Settings& settings, const CatalogueOptions& options) {
  const DataFolder folder(settings.data);
  folder.require_box();
  const auto text = read_input(options.file, "catalogue");
  if (!options.takes_unsigned) require_signature(options, folder, text);
  const auto catalogue = models::Catalogue::parse(text);
  if (!catalogue) throw UsageError(options.file.string() + ": " + catalogue.error().message);
  const RestoreOwner kept(folder);
  write_private_file(folder.catalogue_file(), text);
  std::cout << "the catalogue has " << catalogue->models().size() << " models\n";
  tell_box(settings);
  return 0;
}

}  // namespace

void add_catalogue(CLI::App& app, std::function<int()>& run) {
  auto* catalogue = app.add_subcommand("catalogue", "The models that the box knows, and their prices");
  catalogue->require_subcommand(1);
  auto* command = catalogue->add_subcommand("update", "Replace the catalogue by a signed file");
  const auto options = std::make_shared<CatalogueOptions>();
  command->add_option("file", options->file, "the catalogue, as JSON")->required()->type_name("FILE");
  command->add_option("--signature", options->signature, "made by ssh-keygen -Y sign -n agentbox-catalogue [FILE.sig]")
      ->type_name("FILE");
  command->add_option("--key", options->key, "public key, ssh-ed25519 [catalogue.pub in the data folder]")
      ->type_name("FILE");
  command->add_flag("--unsigned", options->takes_unsigned, "take a file whose signature is not checked");
  const SettingFlags flags(*command, {"AGENTBOX_DATA", "BACKEND_LISTEN", "INTERNAL_API_KEY"});
  command->callback([&run, flags, options] { run = [flags, options] { return update(flags.resolve(), *options); }; });
}

}  // namespace agentbox::cli
