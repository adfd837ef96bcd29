// Zip archives with a skill, as an administrator uploads them. Only this unit uses minizip: the zip reader of
// libarchive would also link decoders of bzip2, LZMA, Zstandard and AES for bytes that come from outside.
#pragma once

#include <string_view>
#include <vector>

#include "appliance/network/skills/package.h"
#include "web/result.h"

namespace skills {

inline constexpr std::size_t max_archive_bytes = 2u << 20;

// The files of an archive whose root, or only folder at the root, has the SKILL.md; what macOS adds is left out. Sizes
// are bounded as in package.h while it is unpacked, whatever the archive claims. Kind::invalid for everything that is
// not a plain archive: damaged or encrypted entries, links and devices, names that are not UTF-8. Paths are for
// read_package to check.
web::Result<std::vector<PackageFile>> unpack(std::string_view archive);

}  // namespace skills
