#include "store/postgres/schema.h"

namespace store::postgres {
namespace {

std::string literal(const std::string& text) {
  std::string quotes = "'";
  for (const char c : text) quotes.append(c == '\'' ? 2 : 1, c);
  return quotes + "'";
}

// What the first 8 bytes of a key say, as keys::owner() writes them.
std::string owner_in(const std::string& column) {
  return "CASE WHEN octet_length(" + column + ") >= 8 THEN ('x' || encode(substring(" + column +
         " FROM 1 FOR 8), 'hex'))::bit(64)::bigint END";
}

std::string create_role(const std::string& name, const std::string& options) {
  return "DO $do$ BEGIN IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = " + literal(name) +
         ") THEN CREATE ROLE " + quoted(name) + " " + options + "; END IF; END $do$";
}

std::string tenant_name(const std::string& kind, const std::string& family) { return "tenant_" + kind + "_" + family; }

bool has_scope(const FamilySpec& family) { return family.has_owner || family.is_index; }

void add_table(std::vector<std::string>& to, const FamilySpec& family) {
  const auto table = table_name(family.name);
  std::string columns = "key bytea PRIMARY KEY, value bytea NOT NULL";
  if (has_scope(family))
    columns += ", owner bigint GENERATED ALWAYS AS (" + owner_in(family.is_index ? "value" : "key") + ") STORED";
  if (family.is_index)
    columns +=
        ", number integer GENERATED ALWAYS AS (CASE WHEN octet_length(key) > 0 THEN get_byte(key, 0) END) STORED";
  const bool is_hot = family.access == Access::counted || family.access == Access::by_key;
  to.push_back("CREATE TABLE IF NOT EXISTS " + table + " (" + columns + ")" +
               (is_hot ? " WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05)" : ""));
}

// `readable` and `writable`: the rows that the tenants' functions may touch; empty: none.
void protect(std::vector<std::string>& to, const std::string& table, const std::string& readable = {},
             const std::string& writable = {}) {
  to.push_back("ALTER TABLE " + table + " ENABLE ROW LEVEL SECURITY");
  to.push_back("ALTER TABLE " + table + " FORCE ROW LEVEL SECURITY");
  to.push_back("DROP POLICY IF EXISTS system ON " + table);
  to.push_back("CREATE POLICY system ON " + table + " TO agentbox_system USING (true) WITH CHECK (true)");
  to.push_back("REVOKE ALL ON " + table + " FROM PUBLIC");
  to.push_back("GRANT SELECT, INSERT, UPDATE, DELETE ON " + table + " TO agentbox_system");
  to.push_back("DROP POLICY IF EXISTS reader ON " + table);
  to.push_back("DROP POLICY IF EXISTS writer ON " + table);
  if (readable.empty()) return;
  to.push_back("CREATE POLICY reader ON " + table + " FOR SELECT TO agentbox_reader USING (" + readable + ")");
  to.push_back("GRANT SELECT ON " + table + " TO agentbox_reader");
  to.push_back("CREATE POLICY writer ON " + table + " TO agentbox_writer USING (" + writable + ") WITH CHECK (" +
               writable + ")");
  to.push_back("GRANT SELECT, INSERT, UPDATE, DELETE ON " + table + " TO agentbox_writer");
}

// Those whose owner is as said, and in the index those of tables with owners.
std::string rows_of(const FamilySpec& family, const std::string& owner) {
  return "owner = " + owner +
         (family.is_index ? " AND number IN (SELECT n.number FROM agentbox._owned_numbers n)" : "");
}
constexpr auto scope_of_reader = "current_setting('agentbox.owner')::bigint";
constexpr auto scopes_of_writer = "ANY ((SELECT current_setting('agentbox.owners')::bigint[])::bigint[])";  // read once

void protect_numbers(std::vector<std::string>& to) {
  const std::string table = "agentbox._owned_numbers";
  protect(to, table);
  to.push_back("CREATE POLICY reader ON " + table + " FOR SELECT TO agentbox_reader, agentbox_writer USING (true)");
  to.push_back("GRANT SELECT ON " + table + " TO agentbox_reader, agentbox_writer");
}

constexpr auto set_scope = "PERFORM set_config('agentbox.owner', $1::text, true); ";
constexpr auto set_scopes = "PERFORM set_config('agentbox.owners', $1::text, true); ";

// It runs with the rights of its owner, the role that makes it.
void add_function(std::vector<std::string>& to, const std::string& name, const std::string& arguments,
                  const std::string& returns, const std::string& body) {
  to.push_back("CREATE OR REPLACE FUNCTION " + name + "(" + arguments + ") RETURNS " + returns +
               " LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$ BEGIN " + body +
               " END $fn$");
  to.push_back("REVOKE ALL ON FUNCTION " + name + " FROM PUBLIC");
  to.push_back("GRANT EXECUTE ON FUNCTION " + name + " TO agentbox_system, agentbox_tenant");
}

// In four forms: upwards or downwards, with or without an end.
std::string page_of(const std::string& select, const std::string& key) {
  const auto form = [&](const std::string& end, const std::string& order) {
    return "RETURN QUERY " + select + " WHERE " + key + " >= $2" + end + " ORDER BY " + key + order + " LIMIT $5; ";
  };
  const auto end = " AND " + key + " < $3";
  return "IF $3 IS NULL AND $4 = 0 THEN " + form("", "") + "ELSIF $3 IS NULL THEN " + form("", " DESC") +
         "ELSIF $4 = 0 THEN " + form(end, "") + "ELSE " + form(end, " DESC") + "END IF;";
}

void add_reading_functions(std::vector<std::string>& to, const FamilySpec& family, const std::string& index) {
  const auto table = table_name(family.name);
  add_function(to, function_name("get", family.name), "scope bigint, keys bytea[]", "TABLE (place bigint, bytes bytea)",
               std::string(set_scope) +
                   "RETURN QUERY SELECT k.place, t.value FROM unnest($2) WITH ORDINALITY k(key, place) JOIN " + table +
                   " t ON t.key = k.key;");
  add_function(
      to, function_name("scan", family.name), "scope bigint, first bytea, last bytea, backwards bigint, most bigint",
      "TABLE (found bytea, bytes bytea)", set_scope + page_of("SELECT t.key, t.value FROM " + table + " t", "t.key"));
  if (!family.has_owner || family.number == 0 || index.empty()) return;
  add_function(to, function_name("lookup", family.name),
               "scope bigint, first bytea, last bytea, backwards bigint, most bigint",
               "TABLE (found bytea, bytes bytea)",
               set_scope + page_of("SELECT i.value, t.value FROM " + table_name(index) + " i LEFT JOIN " + table +
                                       " t ON t.key = i.value",
                                   "i.key"));
}

std::string refuse_if(const std::string& condition) {
  return "IF " + condition + " THEN RAISE EXCEPTION 'a row is not of its scope' USING ERRCODE = '42501'; END IF; ";
}

// For rows of many owners at once: each comes with the scope of the batch that writes it, which must be its owner.
// Row-level security lets them touch the rows of these scopes alone. Where an entry of the index belongs to another
// owner, it is not replaced, which is refused, nor erased, which is as if it were not there.
void add_writing_functions(std::vector<std::string>& to, const FamilySpec& family) {
  const auto table = table_name(family.name);
  const auto refused = refuse_if("EXISTS (SELECT FROM unnest($1, $2, $3) k(scope, key, bytes) WHERE " +
                                 owner_in(family.is_index ? "k.bytes" : "k.key") + " IS DISTINCT FROM k.scope)");
  add_function(to, function_name("put", family.name), "scopes bigint[], keys bytea[], bytes bytea[]", "void",
               std::string("DECLARE written bigint; BEGIN ") + set_scopes + refused + "INSERT INTO " + table +
                   " AS t (key, value) SELECT * FROM unnest($2, $3) ON CONFLICT (key) DO UPDATE SET value = "
                   "excluded.value WHERE t.owner = excluded.owner; GET DIAGNOSTICS written = ROW_COUNT; " +
                   refuse_if("written <> cardinality($2)") + "END;");
  add_function(to, function_name("erase", family.name), "scopes bigint[], keys bytea[], bytes bytea[]", "void",
               set_scopes + refused + "DELETE FROM " + table +
                   " t USING unnest($1, $2) k(scope, key) WHERE t.key = k.key AND t.owner = k.scope;");
}

constexpr auto lease_table =
    "CREATE TABLE IF NOT EXISTS agentbox._lease (name text PRIMARY KEY, box text, host text, epoch bigint NOT NULL "
    "DEFAULT 0, groups bigint NOT NULL DEFAULT 0, until timestamptz NOT NULL DEFAULT '-infinity') WITH (fillfactor = "
    "20)";
constexpr auto take_function =
    "CREATE OR REPLACE FUNCTION agentbox._take(box text, host text) RETURNS TABLE (epoch bigint, holder text, seconds "
    "bigint) LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $fn$ DECLARE known agentbox._lease; BEGIN "
    "INSERT INTO agentbox._lease (name) VALUES ('box') ON CONFLICT DO NOTHING; "
    "SELECT * INTO known FROM agentbox._lease l WHERE l.name = 'box' FOR UPDATE; "
    "IF known.box <> $1 AND known.until > clock_timestamp() THEN "
    "RETURN QUERY SELECT 0::bigint, known.host, ceil(extract(epoch FROM known.until - clock_timestamp()))::bigint; "
    "ELSE UPDATE agentbox._lease l SET box = $1, host = $2, epoch = known.epoch + 1, "
    "until = clock_timestamp() + interval '10 seconds' WHERE l.name = 'box'; "
    "RETURN QUERY SELECT known.epoch + 1, ''::text, known.groups; END IF; END $fn$";
constexpr auto fence_function =
    "CREATE OR REPLACE FUNCTION agentbox._fence(box text, epoch bigint, groups bigint, sync text) RETURNS void "
    "LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $fn$ BEGIN "
    "UPDATE agentbox._lease l SET groups = $3, until = clock_timestamp() + interval '10 seconds' "
    "WHERE l.name = 'box' AND l.box = $1 AND l.epoch = $2; "
    "IF NOT FOUND THEN RAISE EXCEPTION 'another box has taken the lease' USING ERRCODE = 'AB001'; END IF; "
    "PERFORM set_config('synchronous_commit', $4, true), "
    // A wait for a standby that is cut short would be answered as committed.
    "set_config('statement_timeout', '0', true); END $fn$";

void add_system_function(std::vector<std::string>& to, const std::string& text, const std::string& name) {
  to.push_back(text);
  to.push_back("REVOKE ALL ON FUNCTION agentbox." + name + " FROM PUBLIC");
  to.push_back("GRANT EXECUTE ON FUNCTION agentbox." + name + " TO agentbox_system");
}

}  // namespace

std::string quoted(const std::string& identifier) {
  std::string quotes = "\"";
  for (const char c : identifier) quotes.append(c == '"' ? 2 : 1, c);
  return quotes + "\"";
}
std::string table_name(const std::string& family) { return "agentbox." + quoted(family); }
std::vector<std::string> tenant_functions(const std::vector<FamilySpec>& families) {
  std::vector<std::string> all;
  for (const auto& family : families)
    if (has_scope(family))
      for (const auto* kind : {"get", "scan", "put", "erase"}) all.push_back(tenant_name(kind, family.name));
  return all;
}
std::string function_name(const std::string& kind, const std::string& family) {
  return "agentbox." + quoted(tenant_name(kind, family));
}

std::vector<std::string> schema_statements(const std::vector<FamilySpec>& families, const std::string& user,
                                           const std::string& password) {
  if (user.empty())
    throw Unavailable("STORE_URL must name the box's user: postgres://user:password@host:port/database");
  std::vector<std::string> all;
  for (const auto* role :
       {"agentbox_owner", "agentbox_reader", "agentbox_writer", "agentbox_system", "agentbox_tenant"})
    all.push_back(create_role(role, "NOLOGIN NOBYPASSRLS"));
  all.push_back(create_role(user, "LOGIN NOBYPASSRLS" + (password.empty() ? "" : " PASSWORD " + literal(password))));
  all.push_back("GRANT agentbox_system TO " + quoted(user));
  all.push_back("GRANT agentbox_owner, agentbox_reader, agentbox_writer TO CURRENT_USER");
  all.emplace_back("CREATE SCHEMA IF NOT EXISTS agentbox AUTHORIZATION agentbox_owner");
  all.emplace_back("SET LOCAL ROLE agentbox_owner");
  all.emplace_back("REVOKE ALL ON SCHEMA agentbox FROM PUBLIC");
  all.emplace_back(
      "GRANT USAGE ON SCHEMA agentbox TO agentbox_system, agentbox_tenant, agentbox_reader, agentbox_writer");
  all.emplace_back("CREATE TABLE IF NOT EXISTS agentbox._owned_numbers (number integer PRIMARY KEY)");
  all.emplace_back(lease_table);
  std::string index, numbers;
  for (const auto& family : families) {
    add_table(all, family);
    if (family.is_index) index = family.name;
    if (family.has_owner && family.number != 0)
      numbers += (numbers.empty() ? "(" : ", (") + std::to_string(family.number) + ")";
  }
  protect_numbers(all);
  protect(all, "agentbox._lease");
  for (const auto& family : families)
    if (has_scope(family))
      protect(all, table_name(family.name), rows_of(family, scope_of_reader), rows_of(family, scopes_of_writer));
    else
      protect(all, table_name(family.name));
  add_system_function(all, take_function, "_take");
  add_system_function(all, fence_function, "_fence");
  all.emplace_back("GRANT CREATE ON SCHEMA agentbox TO agentbox_reader, agentbox_writer");
  all.emplace_back("SET LOCAL ROLE agentbox_reader");
  for (const auto& family : families)
    if (has_scope(family)) add_reading_functions(all, family, index);
  all.emplace_back("SET LOCAL ROLE agentbox_writer");
  for (const auto& family : families)
    if (has_scope(family)) add_writing_functions(all, family);
  all.emplace_back("SET LOCAL ROLE agentbox_owner");
  all.emplace_back("REVOKE CREATE ON SCHEMA agentbox FROM agentbox_reader, agentbox_writer");
  all.emplace_back("RESET ROLE");
  if (!numbers.empty()) {  // by a role that the policy lets write
    all.emplace_back("GRANT agentbox_system TO CURRENT_USER");
    all.emplace_back("SET LOCAL ROLE agentbox_system");
    all.push_back("INSERT INTO agentbox._owned_numbers VALUES " + numbers + " ON CONFLICT DO NOTHING");
    all.emplace_back("RESET ROLE");
  }
  return all;
}

std::string schema_script(const std::vector<FamilySpec>& families, const std::string& user,
                          const std::string& password) {
  std::string script = "BEGIN;\n";
  for (const auto& statement : schema_statements(families, user, password)) script += statement + ";\n";
  return script + "COMMIT;\n";
}

}  // namespace store::postgres
