// Makes a data folder of what a bucket has (bucket_format.h).
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "appliance/box/standby/bucket_format.h"
#include "appliance/foundation/data_folder.h"
#include "appliance/media/bucket/objects.h"
#include "store/codec.h"
#include "store/replication.h"

namespace standby {

struct RestoredBucket {
  std::string generation;
  store::Time at{};  // of the newest change that it has
  store::Position position = 0;
};

struct BucketWanted {
  std::optional<store::Time> until{};  // nothing: everything
  bool only_store = false;             // neither workspaces nor settings
};

// Into a folder without a store. `BucketSealer` is of the box's master key. Blocks. Throws WrongKey before anything is
// written, and agentbox::UsageError with a sentence; the folder then has no store.
RestoredBucket restore_bucket(bucket::Objects&, const BucketSealer&, const agentbox::DataFolder& to,
                              const BucketWanted&);

}  // namespace standby
