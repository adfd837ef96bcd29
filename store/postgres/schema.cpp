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
constexpr auto holder_column =
    "ALTER TABLE agentbox._lease ADD COLUMN IF NOT EXISTS holder bigint";  // of named leases: the box's epoch
constexpr auto take_function =
    "CREATE OR REPLACE FUNCTION agentbox._take(box text, host text) RETURNS TABLE (epoch bigint, holder text, seconds "
    "bigint) LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $fn$ DECLARE known agentbox._lease; sharer "
    "agentbox._boxes; BEGIN "
    "INSERT INTO agentbox._lease (name) VALUES ('box') ON CONFLICT DO NOTHING; "
    "SELECT * INTO known FROM agentbox._lease l WHERE l.name = 'box' FOR UPDATE; "
    "SELECT * INTO sharer FROM agentbox._boxes b WHERE b.box <> $1 AND b.evicted_by IS NULL AND b.until > "
    "clock_timestamp() LIMIT 1; "
    "IF FOUND THEN known.host := sharer.host; known.until := sharer.until; END IF; "
    "IF FOUND OR known.box <> $1 AND known.until > clock_timestamp() THEN "
    "RETURN QUERY SELECT 0::bigint, known.host, ceil(extract(epoch FROM known.until - clock_timestamp()))::bigint; "
    // What dead boxes left is recovered at the start of one that is alone.
    "ELSE PERFORM FROM agentbox._boxes b WHERE NOT b.is_recovered ORDER BY b.epoch FOR UPDATE; "
    "UPDATE agentbox._boxes b SET evicted_by = coalesce(b.evicted_by, known.epoch + 1), evicted_at = "
    "coalesce(b.evicted_at, clock_timestamp()), recovered_by = known.epoch + 1, is_recovered = true "
    "WHERE NOT b.is_recovered; "
    "UPDATE agentbox._lease l SET box = $1, host = $2, epoch = known.epoch + 1, "
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

constexpr auto boxes_table =
    "CREATE TABLE IF NOT EXISTS agentbox._boxes (epoch bigint PRIMARY KEY, box text NOT NULL, host text NOT NULL, "
    "address text NOT NULL, version text NOT NULL, term bigint NOT NULL DEFAULT 0, until timestamptz NOT NULL, awaits "
    "bigint NOT NULL DEFAULT 0, seen bigint NOT NULL DEFAULT 0, evicted_at timestamptz, evicted_by bigint, "
    "recovered_by bigint, is_recovered boolean NOT NULL DEFAULT false) WITH (fillfactor = 20)";
constexpr auto changes_table =
    "CREATE TABLE IF NOT EXISTS agentbox._changes (epoch bigint, number bigint, at timestamptz NOT NULL DEFAULT "
    "clock_timestamp(), total bigint NOT NULL, parts bytea, PRIMARY KEY (epoch, number)) WITH "
    "(autovacuum_vacuum_scale_factor = 0.05)";
// Takes the lease of a box that was alone, so that it commits nothing any more if it was not dead. An earlier process
// of the same box has ended: it had locked the folder.
constexpr auto join_function =
    "CREATE OR REPLACE FUNCTION agentbox._join(box text, host text, address text, version text, length bigint) RETURNS "
    "TABLE (epoch bigint, holder text, seconds bigint) LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $fn$ "
    "DECLARE known agentbox._lease; BEGIN PERFORM set_config('synchronous_commit', 'on', true); "
    "INSERT INTO agentbox._lease (name) VALUES ('box') ON CONFLICT DO NOTHING; "
    "SELECT * INTO known FROM agentbox._lease l WHERE l.name = 'box' FOR UPDATE; "
    "IF known.box <> $1 AND known.until > clock_timestamp() THEN "
    "RETURN QUERY SELECT 0::bigint, known.host, ceil(extract(epoch FROM known.until - clock_timestamp()))::bigint; "
    "ELSE UPDATE agentbox._lease l SET box = NULL, host = NULL, until = '-infinity', epoch = known.epoch + 1 "
    "WHERE l.name = 'box'; "
    "UPDATE agentbox._boxes b SET until = '-infinity' WHERE b.box = $1; "
    "INSERT INTO agentbox._boxes (epoch, box, host, address, version, until) VALUES (known.epoch + 1, $1, $2, $3, $4, "
    "clock_timestamp() + $5 * interval '1 millisecond'); "
    "RETURN QUERY SELECT known.epoch + 1, ''::text, 0::bigint; END IF; END $fn$";
// A box's transaction cannot be overtaken by its eviction. If the box stops in it, the server ends it: others wait for
// its locks.
constexpr auto hold_function =
    "CREATE OR REPLACE FUNCTION agentbox._hold(epoch bigint, term bigint) RETURNS void LANGUAGE plpgsql SET "
    "search_path = pg_catalog, pg_temp AS $fn$ DECLARE mine agentbox._boxes; BEGIN "
    "SELECT * INTO mine FROM agentbox._boxes b WHERE b.epoch = $1 FOR KEY SHARE; "
    "IF mine.evicted_by IS NOT NULL OR mine.term IS DISTINCT FROM $2 THEN "
    "RAISE EXCEPTION 'the box was evicted' USING ERRCODE = 'AB001'; END IF; "
    "IF mine.until <= clock_timestamp() THEN "
    "RAISE EXCEPTION 'the lease has run out' USING ERRCODE = 'AB002'; END IF; "
    "PERFORM set_config('synchronous_commit', 'on', true), "
    "set_config('idle_in_transaction_session_timeout', '2000', true); END $fn$";
// Before the end of a transaction.
constexpr auto note_function =
    "CREATE OR REPLACE FUNCTION agentbox._note(epoch bigint, number bigint, total bigint, parts bytea) RETURNS void "
    "LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $fn$ BEGIN "
    "IF NOT EXISTS (SELECT FROM agentbox._boxes b WHERE b.epoch = $1 AND b.until > clock_timestamp()) THEN "
    "RAISE EXCEPTION 'the lease has run out' USING ERRCODE = 'AB002'; END IF; "
    "INSERT INTO agentbox._changes (epoch, number, total, parts) VALUES ($1, $2, $3, $4); "
    "PERFORM set_config('statement_timeout', '0', true); END $fn$";
// Waits for the transaction of the term that ends.
constexpr auto reconnect_function =
    "CREATE OR REPLACE FUNCTION agentbox._reconnect(box bigint) RETURNS TABLE (term bigint, newest bigint) LANGUAGE "
    "plpgsql SET search_path = pg_catalog, pg_temp AS $fn$ DECLARE mine agentbox._boxes; BEGIN "
    "SELECT * INTO mine FROM agentbox._boxes b WHERE b.epoch = $1 AND b.evicted_by IS NULL FOR UPDATE; "
    "IF NOT FOUND THEN RETURN; END IF; "
    "UPDATE agentbox._boxes b SET term = mine.term + 1 WHERE b.epoch = $1; "
    "RETURN QUERY SELECT mine.term + 1, coalesce((SELECT max(c.number) FROM agentbox._changes c WHERE c.epoch = $1), "
    "0); END $fn$";
// Boxes that have left are evicted at once, others whose lease has run out if `all_expired` is not 0; and what was
// evicted by a box that is evicted itself passes on, unless it is recovered. Locks nothing if there is none: a
// transaction that does waits for the standby.
std::string evict_function() {
  const std::string is_dead =
      "d.epoch <> $1 AND NOT d.is_recovered AND CASE WHEN d.evicted_by IS NULL THEN d.until = '-infinity' OR $2 <> 0 "
      "AND d.until < clock_timestamp() ELSE d.recovered_by <> $1 AND NOT EXISTS (SELECT FROM agentbox._boxes e WHERE "
      "e.epoch = d.recovered_by AND e.evicted_by IS NULL) END";
  return "CREATE OR REPLACE FUNCTION agentbox._evict(me bigint, all_expired bigint) RETURNS void LANGUAGE plpgsql SET "
         "search_path = pg_catalog, pg_temp AS $fn$ BEGIN "
         "IF NOT EXISTS (SELECT FROM agentbox._boxes d WHERE " +
         is_dead +
         ") THEN RETURN; END IF; PERFORM set_config('synchronous_commit', 'on', true); "
         "PERFORM FROM agentbox._boxes b WHERE b.epoch = $1 AND b.evicted_by IS NULL AND b.until > clock_timestamp() "
         "FOR KEY SHARE; IF NOT FOUND THEN RETURN; END IF; "
         "WITH dead AS MATERIALIZED (SELECT d.epoch FROM agentbox._boxes d WHERE " +
         is_dead +
         " FOR UPDATE SKIP LOCKED) UPDATE agentbox._boxes b SET evicted_by = coalesce(b.evicted_by, $1), evicted_at = "
         "coalesce(b.evicted_at, clock_timestamp()), recovered_by = $1 FROM dead WHERE b.epoch = dead.epoch; END $fn$";
}
// The epoch of the named lease; 0: another box has it; -1: this box was evicted or has no lease itself.
constexpr auto take_named_function =
    "CREATE OR REPLACE FUNCTION agentbox._take_named(lease text, me bigint) RETURNS bigint LANGUAGE plpgsql SET "
    "search_path = pg_catalog, pg_temp AS $fn$ DECLARE known agentbox._lease; BEGIN "
    "IF NOT EXISTS (SELECT FROM agentbox._boxes b WHERE b.epoch = $2 AND b.evicted_by IS NULL AND b.until > "
    "clock_timestamp()) THEN RETURN -1; END IF; "
    "SELECT * INTO known FROM agentbox._lease l WHERE l.name = $1; "
    "IF known.holder = $2 THEN RETURN known.epoch; END IF; "
    "IF EXISTS (SELECT FROM agentbox._boxes b WHERE b.epoch = known.holder AND b.evicted_by IS NULL) THEN RETURN 0; "
    "END IF; PERFORM set_config('synchronous_commit', 'on', true); "
    "PERFORM FROM agentbox._boxes b WHERE b.epoch = $2 AND b.evicted_by IS NULL AND b.until > clock_timestamp() FOR "
    "KEY SHARE; IF NOT FOUND THEN RETURN -1; END IF; "
    "INSERT INTO agentbox._lease (name) VALUES ($1) ON CONFLICT DO NOTHING; "
    "SELECT * INTO known FROM agentbox._lease l WHERE l.name = $1 FOR UPDATE; "
    "IF EXISTS (SELECT FROM agentbox._boxes b WHERE b.epoch = known.holder AND b.evicted_by IS NULL) THEN "
    "RETURN CASE WHEN known.holder = $2 THEN known.epoch ELSE 0 END; END IF; "
    "UPDATE agentbox._lease l SET holder = $2, epoch = known.epoch + 1 WHERE l.name = $1; "
    "RETURN known.epoch + 1; END $fn$";

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
  for (const auto* statement : {lease_table, holder_column, boxes_table, changes_table}) all.emplace_back(statement);
  all.emplace_back("CREATE SEQUENCE IF NOT EXISTS agentbox._reach");
  all.emplace_back("GRANT USAGE ON SEQUENCE agentbox._reach TO agentbox_system");
  std::string index, numbers;
  for (const auto& family : families) {
    add_table(all, family);
    if (family.is_index) index = family.name;
    if (family.has_owner && family.number != 0)
      numbers += (numbers.empty() ? "(" : ", (") + std::to_string(family.number) + ")";
  }
  protect_numbers(all);
  for (const auto* table : {"agentbox._lease", "agentbox._boxes", "agentbox._changes"}) protect(all, table);
  for (const auto& family : families)
    if (has_scope(family))
      protect(all, table_name(family.name), rows_of(family, scope_of_reader), rows_of(family, scopes_of_writer));
    else
      protect(all, table_name(family.name));
  add_system_function(all, take_function, "_take");
  add_system_function(all, fence_function, "_fence");
  add_system_function(all, join_function, "_join");
  add_system_function(all, hold_function, "_hold");
  add_system_function(all, note_function, "_note");
  add_system_function(all, reconnect_function, "_reconnect");
  add_system_function(all, evict_function(), "_evict");
  add_system_function(all, take_named_function, "_take_named");
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
