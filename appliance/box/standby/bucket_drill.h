// Tries whether the bucket restores to the box as it is.
#pragma once

#include <optional>

#include "appliance/box/maintenance/restore_drill.h"
#include "appliance/box/standby/bucket_copy.h"

namespace standby {

// Restores the newest store of the bucket into a scratch folder, opens and verifies it, and compares it with the box's.
// Blocks; on BucketCopy's thread. Nothing if that was cut short.
std::optional<maintenance::RestoreDrill::Drilled> try_bucket(const agentbox::Platform&, store::Store&, BucketCopy&);

}  // namespace standby
