#include "store/postgres/statements.h"

#include "store/postgres/schema.h"

namespace store::postgres {
namespace {

// $1 first, $2 the most, and $3 the end if there is one.
std::string page_form(const std::string& select, const std::string& key, bool has_end, bool is_reverse) {
  return select + " WHERE " + key + " >= $1::bytea" + (has_end ? " AND " + key + " < $3::bytea" : "") + " ORDER BY " +
         key + (is_reverse ? " DESC" : "") + " LIMIT $2::bigint";
}

}  // namespace

std::vector<FamilyStatements> make_statements(const std::vector<FamilySpec>& families) {
  std::string index;
  for (const auto& family : families)
    if (family.is_index) index = table_name(family.name);
  std::vector<FamilyStatements> all;
  all.reserve(families.size());
  for (const auto& family : families) {
    const auto& name = family.name;
    const auto table = table_name(name);
    FamilyStatements made;
    made.get = {"get_" + name, "SELECT value FROM " + table + " WHERE key = $1::bytea"};
    made.multi_get = {"gets_" + name,
                      "SELECT k.place, t.value FROM unnest($1::bytea[]) WITH ORDINALITY k(key, place) JOIN " + table +
                          " t ON t.key = k.key"};
    made.put = {"put_" + name, "INSERT INTO " + table +
                                   " (key, value) SELECT * FROM unnest($1::bytea[], $2::bytea[]) ON CONFLICT (key) DO "
                                   "UPDATE SET value = excluded.value"};
    made.lock = {"lock_" + name, "INSERT INTO " + table +
                                     " (key, value) SELECT k, '' FROM unnest($1::bytea[]) k ORDER BY k ON CONFLICT "
                                     "(key) DO UPDATE SET value = excluded.value WHERE false RETURNING key"};
    made.erase = {"erase_" + name, "DELETE FROM " + table + " WHERE key = ANY ($1::bytea[])"};
    for (const bool has_end : {false, true})
      for (const bool is_reverse : {false, true}) {
        const auto form = std::to_string(has_end) + std::to_string(is_reverse) + "_" + name;
        made.scan[has_end][is_reverse] = {
            "scan" + form, page_form("SELECT t.key, t.value FROM " + table + " t", "t.key", has_end, is_reverse)};
        if (!index.empty())
          made.lookup[has_end][is_reverse] = {
              "look" + form,
              page_form("SELECT i.value, t.value FROM " + index + " i LEFT JOIN " + table + " t ON t.key = i.value",
                        "i.key", has_end, is_reverse)};
      }
    if (family.has_owner || family.is_index) {
      made.tenant_get = {"own_" + name,
                         "SELECT place, bytes FROM " + function_name("get", name) + "($1::bigint, $2::bytea[])"};
      const std::string rows = "($1::bigint[], $2::bytea[], $3::bytea[])";
      made.tenant_put = {"own_put_" + name, "SELECT " + function_name("put", name) + rows};
      made.tenant_erase = {"own_erase_" + name, "SELECT " + function_name("erase", name) + rows};
      const std::string page = "($1::bigint, $2::bytea, $3::bytea, $4::bigint, $5::bigint)";
      made.tenant_scan = {"own_scan_" + name, "SELECT found, bytes FROM " + function_name("scan", name) + page};
      if (family.has_owner && family.number != 0 && !index.empty())
        made.tenant_lookup = {"own_look_" + name, "SELECT found, bytes FROM " + function_name("lookup", name) + page};
    }
    all.push_back(std::move(made));
  }
  return all;
}

}  // namespace store::postgres
