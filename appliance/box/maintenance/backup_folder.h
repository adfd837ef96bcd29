// A backup is a folder with the parts of the data folder; its secrets cannot be read without the master key:
//
//   store/                   RocksDB's incremental backup; sealed fields stay sealed
//   agents/<id>/workspace/   unchanged. Run files (tokens, logs, process ids) are not included: they are regenerated
//   skills/                  those that administrators have uploaded
//   store.schema             which agentbox has opened the store last (rollback.h)
//   agentbox.toml.sealed     the settings, sealed; empty text when the box has no agentbox.toml
//   master.key               only with --with-key
//   manifest.mtree, manifest.sig   all of it but the store (backup_manifest.h)
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/foundation/data_folder.h"

namespace maintenance {

class BackupDraft;

// The last file of a backup: one without it is not complete (is_complete_backup).
inline constexpr std::string_view sealed_settings_name = "agentbox.toml.sealed";

inline constexpr std::string_view schema_note_name = "store.schema";

// A workspace of which not everything was copied.
struct LeftOut {
  std::filesystem::path workspace;
  std::vector<std::string> what;  // as sentences() of mirror.h
};

// `from` may be another user's, who may be compromised (open_in_folder). `before`: an earlier copy, of which unchanged
// files are linked.
//
// The administrator's skills; removes those of `to` if there are none.
void copy_skills(const agentbox::DataFolder& from, const agentbox::DataFolder& to,
                 const agentbox::DataFolder* before = nullptr);
// Removes the one of `to` if there is none.
void copy_schema_note(const agentbox::DataFolder& from, const agentbox::DataFolder& to);
// Copies the workspace of every agent, and nothing else, to a folder that is then private. What an agent's files refuse
// is left out, and its earlier copy is kept.
std::vector<LeftOut> copy_workspaces(const agentbox::DataFolder& from, const agentbox::DataFolder& to,
                                     const agentbox::DataFolder* before = nullptr);

// Everything that was written to the folder's file system is on disk when this returns. Throws agentbox::UsageError.
void sync(const std::filesystem::path& folder);

// Writes the settings of `from` to the backup `to`, sealed. Throws agentbox::UsageError.
void write_sealed_settings(const agentbox::DataFolder& from, const agentbox::DataFolder& to,
                           const std::string& master_key);
// The settings in a backup. Throws agentbox::UsageError if the backup is incomplete or the key is not its box's.
std::string read_sealed_settings(const agentbox::DataFolder& backup, const std::string& master_key);

// Everything but the store into a draft. Throws agentbox::UsageError and std::filesystem::filesystem_error.
std::vector<LeftOut> copy_all_but_store(const agentbox::DataFolder& from, const BackupDraft&,
                                        const std::string& master_key);

}  // namespace maintenance
