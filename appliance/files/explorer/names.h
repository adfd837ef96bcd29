// Which names the explorer shows, reads and writes.
#pragma once

#include <string_view>

namespace explorer {

// Prefix of temporary files, which are renamed when they are complete.
inline constexpr std::string_view temporary_prefix = ".agentbox-write-";

// False for git's own files, build output, fetched dependencies, temporary files and names that are not UTF-8.
// Listings, searches and watches skip such entries with everything in them.
bool is_shown(std::string_view name);

// Names no request may contain: git's own. For files::components_of.
bool is_unreadable(std::string_view name);
// Also .gitmodules: checkouts elsewhere would fetch from and write to the places it names.
bool is_unwritable(std::string_view name);

}  // namespace explorer
