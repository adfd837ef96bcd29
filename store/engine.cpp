#include "store/engine.h"

#include "store/boxes.h"

namespace store {

Boxes& Engine::boxes() {
  static Boxes alone;  // it has no state
  return alone;
}

std::vector<Found> Engine::lookup(Scope scope, Family index, const Range& entries, Family records,
                                  std::size_t limit) const {
  std::vector<Found> found;
  if (limit == 0) return found;
  const auto at = snapshot();
  std::vector<std::string> keys;
  const auto visit = [&](std::string_view, std::string_view key) {
    keys.emplace_back(key);
    return keys.size() < limit;
  };
  scan(scope, index, entries, visit, at.get());
  auto values = multi_get(scope, records, keys, at.get());
  found.reserve(keys.size());
  for (std::size_t number = 0; number < keys.size(); ++number) {
    if (!values[number]) throw Corrupt("an index names a record that is not there");
    found.push_back({std::move(keys[number]), std::move(*values[number])});
  }
  return found;
}

std::optional<Found> Engine::find_one(Scope scope, Family index, std::string_view entry, Family records,
                                      const Snapshot* at) const {
  auto key = get(scope, index, entry, at);
  if (!key) return std::nullopt;
  const auto before = at ? std::nullopt : std::optional(version(records, *key));
  auto value = get(scope, records, *key, at);
  return Found{std::move(*key), value ? std::move(*value) : std::string(), before};
}

}  // namespace store
