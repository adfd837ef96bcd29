#include "store/scope.h"

#include <algorithm>

#include "store/engine.h"
#include "store/keys.h"

namespace store {

ScopeRules::ScopeRules(const std::vector<FamilySpec>& families) {
  families_.reserve(families.size());
  for (const auto& family : families) {
    families_.push_back(family.is_index ? Keys::index : family.has_owner ? Keys::owned : Keys::box);
    if (family.has_owner && family.number != 0) owned_tables_[family.number] = true;
  }
}

bool ScopeRules::reach_owned(std::int64_t owner, std::uint32_t family, std::string_view key,
                             std::string_view value) const {
  switch (families_.at(family)) {
    case Keys::box:
      return false;
    case Keys::owned:
      return keys::belongs_to(owner, key);
    case Keys::index:
      return !key.empty() && owned_tables_[static_cast<unsigned char>(key.front())] && keys::belongs_to(owner, value);
  }
  return false;
}

void ScopeRules::check(const Batch& batch) const {
  if (batch.scope.is_system()) return;
  const auto is_outside = [&](const auto& item) { return !reach(batch.scope, item.family, item.key, item.value); };
  const auto is_foreign = [&](const Precondition& wanted) {
    if (wanted.kind == Precondition::Kind::held) return false;
    const bool is_unique_value =
        wanted.kind == Precondition::Kind::absent && families_.at(wanted.family) == Keys::index;
    return !is_unique_value && is_outside(wanted);
  };
  if (std::ranges::any_of(batch.writes, is_outside) || std::ranges::any_of(batch.preconditions, is_foreign))
    throw OutOfScope();
}

}  // namespace store
