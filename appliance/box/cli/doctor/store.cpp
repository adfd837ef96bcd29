#include <iomanip>
#include <sstream>

#include "appliance/box/capability_list.h"
#include "appliance/box/cli/doctor/checks.h"
#include "store/postgres/administration.h"
#include "store/table_register.h"
#include "web/ascii.h"

namespace agentbox::cli::doctor {

namespace {

constexpr auto slow_round_trip = std::chrono::milliseconds(2);
constexpr int fewest_connections = 50;
constexpr auto make_schema_advice = "run agentbox store init as an administrator of the database";

std::string milliseconds_of(std::chrono::microseconds time) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(2) << static_cast<double>(time.count()) / 1e3 << " ms";
  return text.str();
}

Findings describe_database(const std::string& shown, const store::postgres::Inspection& found) {
  const std::string check = "store";
  Findings all{{check, Level::ok, shown + " answers: PostgreSQL " + found.version, {}}};
  const auto add = [&](Level level, std::string what, std::string advice) {
    all.push_back({check, level, std::move(what), std::move(advice)});
  };
  if (!found.missing_tables.empty())
    add(Level::problem, "tables are missing: " + web::join(found.missing_tables, ", "), make_schema_advice);
  if (!found.missing_functions.empty() && found.missing_tables.empty())
    add(Level::problem, "functions are missing: " + web::join(found.missing_functions, ", "), make_schema_advice);
  if (!found.is_system && found.missing_tables.empty())
    add(Level::problem, "the user of STORE_URL is not a member of agentbox_system", make_schema_advice);
  if (!found.unprotected_tables.empty())
    add(Level::problem, "row-level security is not forced on: " + web::join(found.unprotected_tables, ", "),
        make_schema_advice);
  if (!found.foreign_rights.empty())
    add(Level::problem, "agentbox_tenant has rights on: " + web::join(found.foreign_rights, ", "),
        "revoke them: it needs none but those on the functions tenant_*");
  if (found.missing_tables.empty() && found.unprotected_tables.empty() && found.foreign_rights.empty())
    add(Level::ok, "row-level security is forced on every table", {});
  if (found.ignores_row_security)
    add(Level::warning, "the user of STORE_URL bypasses row-level security: it is a superuser, or has BYPASSRLS",
        "use a user without these rights; agentbox store init makes one");
  if (found.loses_commits)
    add(Level::problem, "fsync or full_page_writes is off: a power failure can damage the database",
        "turn them on in postgresql.conf");
  if (found.max_connections < fewest_connections)
    add(Level::warning, "the server allows " + std::to_string(found.max_connections) + " connections",
        "raise max_connections: the box uses up to 41, others need some, too");
  if (found.round_trip > slow_round_trip)
    add(Level::warning, "a round trip takes " + milliseconds_of(found.round_trip),
        "run the database near the box: every read of the store waits for one");
  else
    add(Level::ok, "a round trip takes " + milliseconds_of(found.round_trip), {});
  if (!found.holder.empty()) add(Level::ok, "in use by " + found.holder, {});
  return all;
}

}  // namespace

Findings check_store(const Settings& settings) {
  if (settings.store_url.empty()) return {};
  try {
    const auto server = store::postgres::read_server_url(settings.store_url);
    const store::TableRegister tables(all_tables());
    return describe_database(server.shown, store::postgres::inspect(server, tables.families()));
  } catch (const store::Unavailable& error) {
    return {{"store", Level::problem, error.what(), "check STORE_URL, and that the server is reachable from here"}};
  }
}

}  // namespace agentbox::cli::doctor
