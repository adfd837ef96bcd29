#include "store/rows.h"

#include <algorithm>

namespace store {

Rows::Rows(Engine& engine, const Sealer& sealer, const std::vector<std::string>& names)
    : engine_(engine), sealer_(sealer), names_(names) {
  for (Family at = 0; at < names_.size(); ++at) families_.emplace(names_[at], at);
  index_ = family("index");
  counters_ = family("counters");
}

Family Rows::family(std::string_view name) const {
  if (const auto found = families_.find(name); found != families_.end()) return found->second;
  throw std::logic_error("store: the table " + std::string(name) + " was not named at open");
}

void Rows::each_raw(std::string_view name,
                    const std::function<bool(std::string_view key, std::string_view bytes)>& visit) const {
  const auto snapshot = engine_.snapshot();
  engine_.scan(family(name), {}, visit, snapshot.get());
}

Batch Rows::allocate(const std::string& sequence, std::int64_t& id) {
  const auto key = counter_key(0, {"sequence/" + sequence});
  {
    const std::lock_guard lock(mutex_);
    auto last = sequences_.find(sequence);
    if (last == sequences_.end()) last = sequences_.emplace(sequence, engine_.counter(counters_, key)[0]).first;
    id = ++last->second;
  }
  Batch batch;
  batch.writes.push_back({.kind = Write::Kind::raise, .family = counters_, .key = key, .figures = {id}});
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
