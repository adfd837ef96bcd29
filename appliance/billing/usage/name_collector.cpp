#include "appliance/billing/usage/name_collector.h"

#include "appliance/billing/usage/period.h"

namespace usage {

namespace {

constexpr std::size_t names_per_change = 500;

}  // namespace

std::vector<Name> NameCollector::names_before(const std::string& month) const {
  std::vector<Name> old;
  system_.each(names, [&](const Name& name) {
    if (name.id < month) old.push_back(name);
    return old.size() < names_per_change;
  });
  return old;
}

web::Task<std::size_t> NameCollector::run(store::Time now) {
  const auto first_kept = Period::month(months_before(now, months_of_names)).name();
  auto read = [this, &first_kept] { return names_before(first_kept); };
  std::size_t removed = 0;
  for (;;) {
    const auto old = co_await web::offload(blocking_, read);
    auto change = system_.change();
    for (const auto& name : old)
      if (const auto row = system_.get(names, name.user_id, name.id)) change.erase(names, *row);
    const auto outcome = co_await change.commit();
    if (!outcome.ok()) continue;
    removed += old.size();
    if (old.size() < names_per_change) co_return removed;
  }
}

}  // namespace usage
