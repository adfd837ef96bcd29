#include <iomanip>
#include <iostream>
#include <memory>

#include "appliance/box/capability_list.h"
#include "appliance/box/cli/folder_owner.h"
#include "appliance/box/cli/progress.h"
#include "appliance/box/cli/setting_flags.h"
#include "appliance/box/cli/store_move.h"
#include "appliance/box/cli/subcommands.h"
#include "appliance/box/open_store.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/data_folder.h"
#include "store/postgres/postgres_engine.h"
#include "store/rocks/rocks_engine.h"
#include "store/table_register.h"
#include "store/transfer.h"

namespace agentbox::cli {

namespace {

namespace fs = std::filesystem;

struct MigrateOptions {
  std::string from, to;
};

bool is_server_url(const std::string& text) {
  return text.starts_with("postgres://") || text.starts_with("postgresql://");
}

// Brings the store to this binary's schema, and checks that its key is there.
void open_once(Settings settings, const std::string& url) {
  settings.store_url = url;
  open_store(settings);
}

void print_digests(const std::vector<store::FamilyDigest>& all) {
  for (const auto& [family, records, sha256] : all)
    if (records > 0)
      std::cout << std::left << std::setw(26) << family << std::right << std::setw(12) << records << "  " << sha256
                << '\n';
}

void copy_and_compare(const store::Engine& from, store::Engine& to, const std::vector<store::FamilySpec>& families) {
  {
    const Progress progress("copying");
    const auto has_meta = [&] {
      bool is_there = false;
      to.scan(store::Scope::system(), 0, {}, [&](auto, auto) {
        is_there = true;
        return false;
      });
      return is_there;
    };
    if (!has_meta()) store::copy_records(from, to, families);
  }
  const Progress progress("comparing");
  const auto source = store::digests(from, families), target = store::digests(to, families);
  if (source != target) {
    for (std::size_t at = 0; at < source.size(); ++at)
      if (source[at] != target[at]) std::cout << "differs: " << source[at].family << '\n';
    throw UsageError("the target is not equal to the source, which stays as it is: empty the target, and try again");
  }
  print_digests(target);
}

// The store's folder, with what is in it, becomes `aside`; `ready` takes its place.
void exchange_folders(const fs::path& store, const fs::path& ready, const fs::path& aside) {
  fs::rename(store, aside);
  fs::rename(ready, store);
}

fs::path move_store(const Settings& own, const std::string& url, bool to_server) {
  const DataFolder folder(own.data);
  const auto stored = folder.store(), ready = fs::path(stored).concat(".moving");
  auto aside = fs::path(stored).concat(to_server ? ".embedded" : ".postgres");
  if (fs::exists(aside)) throw UsageError(aside.string() + " is of an earlier move: remove it, or move it away");
  open_once(own, to_server ? "" : url);
  const auto families = store::TableRegister(all_tables()).families();
  {
    auto server = store::postgres::read_server_url(url);
    const auto database = store::PostgresEngine::open(
        {.folder = {}, .families = families}, {.server = std::move(server), .local = to_server ? ready : stored});
    const auto embedded = store::rocks_engine.open({.folder = to_server ? stored : ready, .families = families});
    if (to_server)
      copy_and_compare(*embedded, *database, families);
    else
      copy_and_compare(*database, *embedded, families);
  }
  exchange_folders(stored, ready, aside);
  return aside;
}

int migrate_store(const Settings& settings, const MigrateOptions& options) {
  const bool to_server = is_server_url(options.to);
  if (to_server == is_server_url(options.from))
    throw UsageError("name a data folder and the URL of a PostgreSQL database: --from D --to postgres://..., or back");
  const auto& url = to_server ? options.to : options.from;
  auto own = settings;
  own.data = fs::absolute(to_server ? options.from : options.to).lexically_normal();
  const DataFolder folder(own.data);
  folder.require_box();
  own.master_key = crypto::hex(folder.master_key(settings));
  become_owner(folder);
  const auto aside = to_server ? move_to_server(own, url) : move_from_server(own, url);
  std::cout << "the store is moved, and both sides are equal. The old one is in " << aside.string() << '\n'
            << (to_server ? "Set STORE_URL before you start the box\n"
                          : "Unset STORE_URL before you start the box. The database keeps its records: drop its schema "
                            "agentbox when you no longer need them\n");
  return 0;
}

}  // namespace

fs::path move_to_server(const Settings& settings, const std::string& url) { return move_store(settings, url, true); }
fs::path move_from_server(const Settings& settings, const std::string& url) { return move_store(settings, url, false); }

void add_migrate_store(CLI::App& app, std::function<int()>& run) {
  auto* command = app.add_subcommand("migrate-store",
                                     "Move the store of a stopped box from its data folder into PostgreSQL, or back");
  const auto options = std::make_shared<MigrateOptions>();
  command->add_option("--from", options->from, "data folder, or URL of the database")->required();
  command->add_option("--to", options->to, "URL of the database, or data folder")->required();
  const SettingFlags flags(*command, {"AGENTBOX_MASTER_KEY"});
  command->callback(
      [&run, flags, options] { run = [flags, options] { return migrate_store(flags.resolve(false), *options); }; });
}

}  // namespace agentbox::cli
