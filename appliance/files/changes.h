// Moves and removes files under a root. Paths are resolved by the kernel as in root.h; a link at the end of a path is
// not followed. Both block; thread-safe.
#pragma once

#include "appliance/files/root.h"

namespace files {

// The error for a path given in a field other than `path`: the message begins with that field's name.
web::Error named_after(std::string_view field, web::Error);

enum class Overwrite { no, yes };

// Gives the file or folder at `from` the name `to`, atomically and durably; missing folders above `to` are created.
// With Overwrite::yes a regular file at `to` is replaced by a file. Kind::not_found when `from` does not exist,
// conflict when `to` exists, invalid for the root itself, a link or a device, and a folder that would be moved into
// itself. Messages name the path they are about.
web::Result<void> move(const Root&, const Components& from, const Components& to, Overwrite);

// Removes a regular file or an empty folder, durably. Kind::conflict for a folder that is not empty, invalid for the
// root itself, a link or a device.
web::Result<void> remove(const Root&, const Components&);

}  // namespace files
