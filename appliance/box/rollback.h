// The way back from an upgrade: before a store is migrated for the first time, it is kept as it was,
// by hard links: RocksDB's checkpoint would need the store open, and opening it replays its log.
//
//   store.schema      schema and version of the agentbox that opened the store last: "4 0.1.0"
//   rollback/store/   the store before the last upgrade; shares its files with store/ until they are compacted
//   rollback/schema   its store.schema
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "appliance/foundation/data_folder.h"

namespace agentbox {

// Before the store is opened for writing by an agentbox of this schema: keeps it if that will migrate it. Replaces what
// an upgrade before has kept. Throws store::Unavailable.
void keep_before_upgrade(const DataFolder&, std::uint32_t schema);
// After it was opened. Throws UsageError.
void note_schema(const DataFolder&, std::uint32_t schema);

struct KeptStore {
  std::string version;  // of the agentbox that it belongs to; empty if it is not known
  std::string kept_at;
};
std::optional<KeptStore> kept_store(const DataFolder&);

// "This box was upgraded from agentbox 0.1.0 at ...: ..."; empty if it was not.
std::string rollback_advice(const DataFolder&);

// Puts the kept store in the place of the store, which stays beside it under the name that is returned. Throws
// UsageError if there is none, store::Unavailable while the box runs.
std::filesystem::path roll_back(const DataFolder&);

}  // namespace agentbox
