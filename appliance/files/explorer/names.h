// Which names the explorer shows, reads and writes.
#pragma once

#include <string_view>

namespace explorer {

// A file that is being written, under a name of its own until it takes its place.
inline constexpr std::string_view temporary_prefix = ".agentbox-write-";

// Not git's own, nor what is built, fetched or just being written; UTF-8. Listings, searches and watches pass over what
// is not shown, with all that is in it.
bool is_shown(std::string_view name);

// Never named by a request: git's own. For files::components_of.
bool is_unreadable(std::string_view name);
// In addition .gitmodules: a checkout elsewhere would fetch and write wherever it says.
bool is_unwritable(std::string_view name);

}  // namespace explorer
