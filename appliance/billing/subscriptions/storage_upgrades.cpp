#include "appliance/billing/subscriptions/storage_upgrades.h"

#include "appliance/billing/subscriptions/plans.h"

namespace billing {

void put_storage_upgrade(const store::System& system, store::Change& change, const StorageUpgrade& upgrade) {
  if (auto row = system.get(storage_upgrades, upgrade.user_id, upgrade.id)) {
    row->value = upgrade;
    change.update(storage_upgrades, *row);
  } else {
    change.insert(storage_upgrades, upgrade);
  }
}

std::uint64_t storage_limit(const store::System& system, store::UserId owner, std::string_view plan) {
  constexpr std::uint64_t gigabyte = 1u << 30;
  auto bytes = agent_resources(plan_named(plan).value_or(Plan::label)).storage_bytes;
  for (const auto& upgrade : system.tenant(owner).list(storage_upgrades))
    if (upgrade.is_active) bytes += static_cast<std::uint64_t>(upgrade.gigabytes) * gigabyte;
  return bytes;
}

}  // namespace billing
