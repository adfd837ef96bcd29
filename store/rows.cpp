#include "store/rows.h"

#include <stdexcept>

namespace store {

Rows::Rows(Engine& engine, const Sealer& sealer, const TableRegister& tables) : engine_(engine), sealer_(sealer) {
  Family family = counter_family();
  for (const auto& table : tables.tables()) {
    families_[table.name.number] = ++family;
    caches_[table.name.number] = table.new_cache();
  }
}

void Rows::not_opened(const TableName& table) {
  throw std::logic_error("store: the table " + table.family + " is not one of those the store was opened with");
}

void Rows::each_raw(const TableName& table, const VisitRaw& visit) const {
  each_raw(table, visit, *engine_.snapshot());
}

void Rows::each_raw(const TableName& table, const VisitRaw& visit, const Snapshot& at) const {
  engine_.scan(Scope::system(), family(table), {}, visit, &at);
}

void Rows::each_counter(std::string_view name_prefix, const VisitCounter& visit, const Snapshot& at) const {
  const auto visit_raw = [&](std::string_view key, std::string_view bytes) {
    const auto name = keys::id_in(key);
    if (name.starts_with(name_prefix)) visit(keys::owner_in(key), name, decode_counter(bytes));
    return true;
  };
  engine_.scan(Scope::system(), counter_family(), {}, visit_raw, &at);
}

}  // namespace store
