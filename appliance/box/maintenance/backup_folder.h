// A backup is a folder with the parts of the data folder; its secrets cannot be read without the master key:
//
//   store/                   RocksDB's incremental backup; sealed fields stay sealed
//   agents/<id>/workspace/   unchanged. Run files (tokens, logs, process ids) are not included: they are regenerated
//   skills/                  those that administrators have uploaded
//   store.schema             which agentbox has opened the store last (rollback.h)
//   agentbox.toml.sealed     the settings, sealed; empty text when the box has no agentbox.toml
//   master.key               only with --with-key
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/foundation/data_folder.h"

namespace maintenance {

// The last file of a backup: one without it is not complete.
inline constexpr std::string_view sealed_settings_name = "agentbox.toml.sealed";

inline constexpr std::string_view schema_note_name = "store.schema";

// A workspace of which not everything was copied.
struct LeftOut {
  std::filesystem::path workspace;
  std::size_t folders = 0;  // those within more than 200 others
};

// The administrator's skills; removes those of `to` if there are none.
void copy_skills(const agentbox::DataFolder& from, const agentbox::DataFolder& to);
// Removes the one of `to` if there is none.
void copy_schema_note(const agentbox::DataFolder& from, const agentbox::DataFolder& to);
// Copies the workspace of every agent of `from`, and nothing else, to a folder that is then private.
std::vector<LeftOut> copy_workspaces(const std::filesystem::path& from, const std::filesystem::path& to);

// Everything that was written to the folder's file system is on disk when this returns. Throws agentbox::UsageError.
void sync(const std::filesystem::path& folder);

// Writes the settings of `from` to the backup `to`, sealed. Throws agentbox::UsageError.
void write_sealed_settings(const agentbox::DataFolder& from, const agentbox::DataFolder& to,
                           const std::string& master_key);
// The settings in a backup. Throws agentbox::UsageError if the backup is incomplete or the key is not its box's.
std::string read_sealed_settings(const agentbox::DataFolder& backup, const std::string& master_key);

// Everything but the store. Throws agentbox::UsageError and std::filesystem::filesystem_error.
std::vector<LeftOut> copy_all_but_store(const agentbox::DataFolder& from, const agentbox::DataFolder& to,
                                        const std::string& master_key);

}  // namespace maintenance
