// Where the box gets its master key from, besides the setting and the data folder (DataFolder::master_key).
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "appliance/foundation/data_folder.h"
#include "appliance/foundation/settings/settings.h"

namespace agentbox {

// systemd passes secrets in files of a folder that it names: LoadCredential=master.key:PATH. Nothing without one.
std::optional<std::filesystem::path> master_key_credential();

// Whether the key is the data folder's own, master.key.
bool is_master_key_in_folder(const Settings&);

// The next master key of the data folder, while `agentbox admin rotate-master-key` introduces it.
std::filesystem::path next_master_key_file(const std::filesystem::path& data_folder);

// What this box is known by to a Docker Engine: the fingerprint of its first master key.
std::string box_fingerprint(const DataFolder&, const Settings&);
// Keeps that name when the master key is replaced. Throws UsageError.
void keep_box_fingerprint(const DataFolder&, const Settings&);

}  // namespace agentbox
