// Storage that users have bought beyond what their plan includes.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "store/store.h"
#include "store/table.h"

namespace billing {

struct StorageUpgrade {
  std::int64_t user_id = 0;
  std::string id;  // of the subscription that pays for it
  std::int64_t gigabytes = 0;
  bool is_active = true;
};
BOOST_DESCRIBE_STRUCT(StorageUpgrade, (), (user_id, id, gigabytes, is_active))

inline const store::Owned<StorageUpgrade> storage_upgrades{
    {.family = "storage_upgrades", .number = 119}, &StorageUpgrade::user_id, &StorageUpgrade::id, {}};

// Adds to a change: the upgrade is as given, in place of what was stored under its id.
void put_storage_upgrade(const store::System&, store::Change&, const StorageUpgrade&);
// What the files of an agent of this plan may take, in bytes: the plan's share and its owner's active upgrades. An
// unknown plan is the smallest.
std::uint64_t storage_limit(const store::System&, store::UserId owner, std::string_view plan);

}  // namespace billing
