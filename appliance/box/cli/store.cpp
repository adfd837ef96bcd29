#include "appliance/box/cli/subcommands.h"

#include <iostream>
#include <memory>

#include "appliance/box/capability_list.h"
#include "appliance/box/cli/setting_flags.h"
#include "store/postgres/administration.h"
#include "store/postgres/schema.h"
#include "store/table_register.h"

namespace agentbox::cli {

namespace {

struct StoreInitOptions {
  std::string administrator;
  bool only_prints = false;
};

int init_store(const Settings& settings, const StoreInitOptions& options) {
  if (settings.store_url.empty())
    throw UsageError("STORE_URL is not set: name the database that the box is to use, with its own user");
  const auto server = store::postgres::read_server_url(settings.store_url);
  const auto families = store::TableRegister(all_tables()).families();
  const auto user = server.value_of("user"), password = server.value_of("password");
  if (options.only_prints) {
    std::cout << store::postgres::schema_script(families, user, {});
    return 0;
  }
  const auto administrator =
      options.administrator.empty() ? server : store::postgres::read_server_url(options.administrator);
  store::postgres::make_schema(administrator, families, user, password);
  std::cout << server.shown << " is ready for the box: " << families.size() << " tables in the schema agentbox\n";
  return 0;
}

}  // namespace

void add_store(CLI::App& app, std::function<int()>& run) {
  auto* command = app.add_subcommand("store", "The store's database in PostgreSQL");
  command->require_subcommand(1);
  auto* init = command->add_subcommand(
      "init", "Make roles, schema and tables in the database of STORE_URL, or what an upgrade has added");
  const auto options = std::make_shared<StoreInitOptions>();
  init->add_option("--admin", options->administrator,
                   "the same database as its owner or a superuser; default: as the user of STORE_URL")
      ->type_name("URL");
  init->add_flag("--print", options->only_prints, "print the SQL for an administrator instead, without a password");
  const SettingFlags flags(*init, {"AGENTBOX_DATA", "STORE_URL"});
  init->callback([&run, flags, options] { run = [flags, options] { return init_store(flags.resolve(), *options); }; });
}

}  // namespace agentbox::cli
