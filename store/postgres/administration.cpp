#include "store/postgres/administration.h"

#include <algorithm>
#include <limits>
#include <set>

#include "store/postgres/connection.h"
#include "store/postgres/schema.h"

namespace store::postgres {
namespace {

using namespace std::chrono_literals;

const Statement tables_of_schema{
    "",
    "SELECT c.relname::text, c.relrowsecurity AND c.relforcerowsecurity, "
    "has_table_privilege('agentbox_tenant', c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE') "
    "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
    "WHERE n.nspname = 'agentbox' AND c.relkind IN ('r', 'p')"};
const Statement has_roles{"",
                          "SELECT count(*) = 5 FROM pg_catalog.pg_roles WHERE rolname IN ('agentbox_owner', "
                          "'agentbox_reader', 'agentbox_writer', 'agentbox_system', 'agentbox_tenant')"};
const Statement own_rights{"",
                           "SELECT rolsuper OR rolbypassrls, pg_has_role(current_user, 'agentbox_system', 'USAGE') "
                           "FROM pg_catalog.pg_roles WHERE rolname = current_user"};
const Statement server_settings{"",
                                "SELECT current_setting('server_version'), current_setting('fsync') = 'off' OR "
                                "current_setting('full_page_writes') = 'off', "
                                "current_setting('max_connections')::integer"};
const Statement functions_of_schema{"",
                                    "SELECT p.proname::text FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n "
                                    "ON n.oid = p.pronamespace WHERE n.nspname = 'agentbox'"};
const Statement nothing{"", "SELECT 1"};
const Statement lease_holder{"", "SELECT host FROM agentbox._lease WHERE name = 'box' AND until > clock_timestamp()"};

auto connected(const Server& server, const auto& use) {
  try {
    Connection connection(server, 60s, Clock::now() + 10s);
    return use(connection);
  } catch (const Lost& lost) {
    throw Unavailable("The server " + server.shown + " does not answer: " + lost.what());
  } catch (const Refused& refused) {
    throw Unavailable("The server " + server.shown + " refused: " + refused.what());
  }
}

}  // namespace

void make_schema(const Server& as_administrator, const std::vector<FamilySpec>& families, const std::string& user,
                 const std::string& password) {
  const auto texts = schema_statements(families, user, password);
  std::vector<Statement> statements;
  statements.push_back({"", "BEGIN"});
  for (const auto& text : texts) statements.push_back({"", text});
  statements.push_back({"", "COMMIT"});
  std::vector<Call> calls;
  for (const auto& statement : statements) calls.push_back({&statement});
  connected(as_administrator, [&](Connection& connection) { return connection.run(calls, Clock::now() + 60s).size(); });
}

Inspection inspect(const Server& server, const std::vector<FamilySpec>& families) {
  return connected(server, [&](Connection& connection) {
    const auto ask = [&](const Statement& statement) { return connection.run(Call{&statement}, Clock::now() + 10s); };
    Inspection found;
    const auto settings = ask(server_settings);
    found.version = settings.bytes(0, 0);
    found.loses_commits = settings.truth(0, 1);
    found.max_connections = static_cast<int>(settings.number(0, 2));
    found.round_trip = std::chrono::microseconds::max();
    for (int round = 0; round < 5; ++round) {
      const auto start = Clock::now();
      ask(nothing);
      found.round_trip =
          std::min(found.round_trip, std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start));
    }
    std::set<std::string, std::less<>> known;
    if (ask(has_roles).truth(0, 0)) {
      const auto rights = ask(own_rights);
      found.ignores_row_security = rights.truth(0, 0);
      found.is_system = rights.truth(0, 1);
      const auto tables = ask(tables_of_schema);
      for (int row = 0; row < tables.rows(); ++row) {
        const std::string name(tables.bytes(row, 0));
        known.insert(name);
        if (!tables.truth(row, 1)) found.unprotected_tables.push_back(name);
        if (tables.truth(row, 2)) found.foreign_rights.push_back(name);
      }
    }
    for (const auto& family : families)
      if (!known.contains(family.name)) found.missing_tables.push_back(family.name);
    std::set<std::string, std::less<>> functions;
    const auto named = ask(functions_of_schema);
    for (int row = 0; row < named.rows(); ++row) functions.emplace(named.bytes(row, 0));
    for (auto& name : tenant_functions(families))
      if (!functions.contains(name)) found.missing_functions.push_back(std::move(name));
    if (found.is_system && found.missing_tables.empty())
      if (const auto holder = ask(lease_holder); holder.rows() == 1) found.holder = holder.bytes(0, 0);
    return found;
  });
}

}  // namespace store::postgres
