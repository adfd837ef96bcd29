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

void Rows::each_raw(const TableName& table,
                    const std::function<bool(std::string_view key, std::string_view bytes)>& visit) const {
  const auto snapshot = engine_.snapshot();
  engine_.scan(family(table), {}, visit, snapshot.get());
}

Batch Rows::allocate(const std::string& sequence, std::int64_t& id) {
  const auto key = counter_key(0, {"sequence/" + sequence});
  {
    const std::lock_guard lock(mutex_);
    auto last = sequences_.find(sequence);
    if (last == sequences_.end()) last = sequences_.emplace(sequence, engine_.counter(counter_family(), key)[0]).first;
    id = ++last->second;
  }
  Batch batch;
  batch.writes.push_back({.kind = Write::Kind::raise, .family = counter_family(), .key = key, .fields = {id}});
  return batch;
}

Task<std::int64_t> Rows::next_id(std::string sequence) {
  std::int64_t id = 0;
  auto batch = allocate(sequence, id);
  co_await engine_.commit(std::move(batch), Durability::durable);
  co_return id;
}

std::int64_t Rows::next_id_blocking(const std::string& sequence) {
  std::int64_t id = 0;
  engine_.commit_blocking(allocate(sequence, id), Durability::durable);
  return id;
}

}  // namespace store
