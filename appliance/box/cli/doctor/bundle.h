// The support archive of `agentbox doctor --bundle`.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "appliance/foundation/settings/settings.h"

namespace agentbox::cli::doctor {

// The files of the archive by name: the settings with secrets as [set], what the machine and the running box say of
// themselves, and names, sizes and modes of the data folder's files without their content. `said`: further files.
using BundleFiles = std::vector<std::pair<std::string, std::string>>;
BundleFiles bundle_files(const Settings&, BundleFiles said);

// Writes them as a tar archive that only its owner can read. Throws UsageError; also if the file exists.
void write_bundle(const std::filesystem::path&, const BundleFiles&);

}  // namespace agentbox::cli::doctor
