#include "store/judge.h"

namespace store {

std::optional<std::size_t> Judge::judge(const Batch& batch) {
  for (std::size_t index = 0; index < batch.preconditions.size(); ++index)
    if (!holds(batch.preconditions[index], batch)) return index;
  for (const auto& write : batch.writes) {
    const Key key{write.family, write.key};
    switch (write.kind) {
      case Write::Kind::put:
      case Write::Kind::erase:
        values_[key] = &write;
        break;
      case Write::Kind::add:
        counters_[key].add(write.delta);
        break;
      case Write::Kind::raise:
        counters_[key].raise(write.delta);
        break;
    }
  }
  return {};
}

bool Judge::holds(const Precondition& wanted, const Batch& batch) const {
  const Key key{wanted.family, wanted.key};
  switch (wanted.kind) {
    case Precondition::Kind::absent:
      return is_absent(key);
    case Precondition::Kind::equals:
      return is(key, wanted.value);
    case Precondition::Kind::at_most: {
      CounterStep step;
      if (const auto found = counters_.find(key); found != counters_.end()) step = found->second;
      for (const auto& write : batch.writes) {
        if (write.family != wanted.family || write.key != wanted.key) continue;
        if (write.kind == Write::Kind::add) step.add(write.delta);
        if (write.kind == Write::Kind::raise) step.raise(write.delta);
      }
      return step.applied_to(log_.read_counter(key.family, key.bytes)) <= wanted.bound;
    }
  }
  return false;
}

bool Judge::is_absent(const Key& key) const {
  if (const auto found = values_.find(key); found != values_.end()) return found->second->kind == Write::Kind::erase;
  return !log_.read(key.family, key.bytes);
}

bool Judge::is(const Key& key, std::string_view value) const {
  if (const auto found = values_.find(key); found != values_.end())
    return found->second->kind == Write::Kind::put && found->second->value == value;
  return log_.read(key.family, key.bytes) == value;
}

}  // namespace store
