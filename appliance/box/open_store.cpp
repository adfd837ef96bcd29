#include "appliance/box/open_store.h"

#include <charconv>
#include <sstream>

#include "appliance/billing/credits/account.h"
#include "appliance/box/capability_list.h"
#include "appliance/box/rollback.h"
#include "appliance/box/standby/timeline.h"
#include "appliance/foundation/data_folder.h"
#include "appliance/media/bucket/objects.h"
#include "store/postgres/postgres_engine.h"
#include "web/client/outbound.h"

namespace agentbox {

namespace fs = std::filesystem;

namespace {

// Throws UsageError if STORE_URL names another place than where the box's store is.
void check_place(const Settings& settings, const DataFolder& folder) {
  const bool is_on_server = store::postgres::is_on_server(folder.store());
  if (settings.store_url.empty() && is_on_server)
    throw UsageError("the store of " + folder.path().string() + " is in a PostgreSQL database: set STORE_URL");
  if (!settings.store_url.empty() && fs::exists(folder.store() / "CURRENT"))
    throw UsageError("STORE_URL is set, and " + folder.path().string() +
                     " has a store of its own: move it with `agentbox migrate-store`, or unset STORE_URL");
}

// Throws UsageError if EGRESS forbids a host of the server.
void check_outbound(const store::postgres::Server& server) {
  const web::CallOrigin origin{.part = "store"};
  const auto text = server.value_of("port");
  std::uint16_t port = 5432;
  if (!text.empty()) std::from_chars(text.data(), text.data() + text.size(), port);
  std::istringstream hosts(server.value_of("host"));
  for (std::string host; std::getline(hosts, host, ',');) {
    if (host.empty() || host.starts_with('/')) continue;
    if (const auto admitted = web::outbound().check(origin, host, port); !admitted)
      throw UsageError("STORE_URL: " + admitted.error().message);
  }
}

}  // namespace

store::Options store_options(const Settings& settings) {
  const DataFolder folder(settings.data);
  check_place(settings, folder);
  store::Options options{
      .folder = folder.store(),
      .master_key = folder.master_key(settings),
      .tables = all_tables(),
      // Counters are read in both forms, and written in the one that schema 1 does not know; likewise secrets.
      .migrations = {{.to = 2, .what = "counters in as many bytes as they need", .run = {}},
                     {.to = 3, .what = "referrals in the ledger of credits", .run = credits::take_over_referrals},
                     {.to = 4, .what = "secrets sealed under a derived key", .run = {}}}};
  if (settings.store_url.empty()) return options;
  auto server = store::postgres::read_server_url(settings.store_url);
  check_outbound(server);
  options.folder = store::postgres::remember_location({.server = std::move(server), .local = folder.store()});
  options.engine = &store::postgres_engine;
  return options;
}

void refuse_on_server(const Settings& settings, const std::string& what) {
  if (settings.store_url.empty() && !store::postgres::is_on_server(DataFolder(settings.data).store())) return;
  throw UsageError(what +
                   " is for the embedded store, and this box has its store in PostgreSQL: use the server's own " +
                   "tools, see docs/postgres.md");
}

std::unique_ptr<store::Store> open_store(const Settings& settings, Access access, const store::Trouble& on_trouble) {
  const DataFolder folder(settings.data);
  if (fs::exists(folder.config_file()) && fs::exists(folder.key_file()) && !fs::exists(folder.store())) {
    throw UsageError(folder.path().string() + " was set up, but its folder " + folder.store().filename().string() +
                     " is missing: put it back, or restore a backup with `agentbox restore`");
  }
  if (access == Access::write) standby::refuse_unless_box(folder);
  auto options = store_options(settings);
  options.read_only = access == Access::read_only;
  options.on_trouble = on_trouble;
  if (access == Access::read_only || options.engine) return store::Store::open(std::move(options));
  if (settings.standby != "off" || bucket::has_standby_bucket(settings))
    options.kept_log_bytes = standby::kept_log_bytes;
  const auto schema = options.migrations.back().to;
  keep_before_upgrade(folder, schema);
  auto store = store::Store::open(std::move(options));
  note_schema(folder, schema);
  return store;
}

}  // namespace agentbox
