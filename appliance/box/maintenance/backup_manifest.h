// manifest.mtree: everything of a backup that is not the store, whose files have checksums of their own. Its lines are
// those of a pack's manifest (packing/manifest.h), sorted by path within each folder; manifest.sig is its signature.
//
// The digest of a file is that of its 4 KiB pages that are not all zero (packing::ContentDigest), so that it stays the
// same when a copy fills holes, or makes some. A file without such a page has its plain SHA-256. When a backup is
// checked, modes are not compared: not every file system on which backups are kept has them.
#pragma once

#include <string>
#include <string_view>

#include "appliance/foundation/data_folder.h"

namespace maintenance {

inline constexpr std::string_view manifest_name = "manifest.mtree", manifest_signature_name = "manifest.sig";

// Of what is in `backup`. A file that is the same one (inode) in the earlier backup `before` keeps the digest that it
// has in that one's manifest: it is not read again, and damage since then is found when the backup is checked. Blocks.
// Throws agentbox::UsageError.
void write_manifest(const agentbox::DataFolder& backup, const agentbox::DataFolder& before,
                    const std::string& master_key);

// Reads every file. Throws agentbox::UsageError, which names what differs first. Returns false if there is no manifest:
// agentbox 0.1 made none. Blocks.
bool check_manifest(const agentbox::DataFolder& backup, const std::string& master_key);

// Whether the manifest of the backup has this part, such as "skills".
bool is_in_manifest(const agentbox::DataFolder& backup, std::string_view part);

}  // namespace maintenance
