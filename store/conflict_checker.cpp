#include "store/conflict_checker.h"

namespace store {
namespace {

bool is_counted(const Write& write) { return write.kind == Write::Kind::add || write.kind == Write::Kind::raise; }

void count(CounterFields& fields, const Write& write) {
  if (write.kind == Write::Kind::add)
    fields.add(write.fields);
  else
    fields.raise(write.fields);
}

}  // namespace

std::optional<std::size_t> ConflictChecker::check(const Batch& batch) {
  for (std::size_t index = 0; index < batch.preconditions.size(); ++index)
    if (!holds(batch.preconditions[index], batch)) return index;
  std::vector<Key> keys;  // of the writes
  keys.reserve(batch.writes.size());
  for (const auto& write : batch.writes) keys.emplace_back(write.family, write.key);
  read_counters(batch, keys);
  for (std::size_t at = 0; at < keys.size(); ++at) {
    const auto& write = batch.writes[at];
    if (is_counted(write))
      count(counters_.find(keys[at])->second, write);
    else
      values_[keys[at]] = &write;
  }
  return {};
}

// Before any write of the batch is applied: reading may fail.
void ConflictChecker::read_counters(const Batch& batch, const std::vector<Key>& keys) {
  for (std::size_t at = 0; at < keys.size(); ++at)
    if (is_counted(batch.writes[at]) && !counters_.contains(keys[at]))
      counters_.emplace(keys[at], log_.read_counter(keys[at].family, keys[at].bytes));
}

std::vector<Committer::Counted> ConflictChecker::counted() const {
  std::vector<Committer::Counted> counted;
  counted.reserve(counters_.size());
  for (const auto& [key, fields] : counters_) counted.push_back({key.family, key.bytes, fields});
  return counted;
}

bool ConflictChecker::holds(const Precondition& wanted, const Batch& batch) const {
  const Key key(wanted.family, wanted.key);
  switch (wanted.kind) {
    case Precondition::Kind::absent:
      return is_absent(key);
    case Precondition::Kind::equals:
      return is_as_read(key, wanted);
    case Precondition::Kind::at_most: {
      const auto found = counters_.find(key);
      auto fields = found != counters_.end() ? found->second : log_.read_counter(key.family, key.bytes);
      for (const auto& write : batch.writes)
        if (is_counted(write) && write.family == wanted.family && write.key == wanted.key) count(fields, write);
      return fields[wanted.field] <= wanted.bound;
    }
    case Precondition::Kind::held:
      return log_.holds(wanted.key, wanted.bound);
  }
  return false;
}

bool ConflictChecker::is_absent(const Key& key) const {
  if (const auto found = values_.find(key); found != values_.end()) return found->second->kind == Write::Kind::erase;
  return !log_.read(key.family, key.bytes);
}

bool ConflictChecker::is_as_read(const Key& key, const Precondition& wanted) const {
  if (const auto found = values_.find(key); found != values_.end())
    return found->second->kind == Write::Kind::put && found->second->value == wanted.value;
  if (wanted.version && *wanted.version == log_.version(key.family, key.bytes)) return true;
  return log_.read(key.family, key.bytes) == wanted.value;
}

}  // namespace store
