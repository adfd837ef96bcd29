// The parts of a backup besides the store. A backup is a folder with the parts of the data folder; its secrets cannot
// be read without the master key:
//
//   store/                   RocksDB's incremental backup; sealed fields stay sealed
//   agents/<id>/workspace/   unchanged. Run files (tokens, logs, process ids) are not included: they are regenerated
//   skills/                  those that administrators have uploaded
//   agentbox.toml.sealed     the settings, sealed; empty text when the box has no agentbox.toml. Written last
//   master.key               only with --with-key
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "appliance/foundation/data_folder.h"

namespace maintenance {

inline constexpr std::string_view sealed_settings_name = "agentbox.toml.sealed";

// Called for a workspace with folders that are nested too deeply to be copied, with their number.
using LeftOut = std::function<void(const std::filesystem::path& workspace, std::size_t folders)>;
// Copies the workspace of every agent of `from`, and nothing else. Throws filesystem_error.
void copy_workspaces(const std::filesystem::path& from, const std::filesystem::path& to, const LeftOut&);
// Copies the administrators' skills. Throws filesystem_error.
void copy_skills(const agentbox::DataFolder& from, const agentbox::DataFolder& to);
// Throws UsageError.
void seal_settings(const agentbox::DataFolder& from, const agentbox::DataFolder& to, const std::string& master_key);

// Throws UsageError for a file that cannot be read.
std::string text_of(const std::filesystem::path&);

}  // namespace maintenance
