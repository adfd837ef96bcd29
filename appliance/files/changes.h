// Moving and removing what is beneath a root. Both ends are resolved by the kernel like everything else there, and
// neither call follows a link that stands at the end of a path. Both block; callable from every thread.
#pragma once

#include "appliance/files/root.h"

namespace files {

// The error as of a path that was given in another field than `path`: messages begin with that one's name.
web::Error named_after(std::string_view field, web::Error);

enum class Overwrite { no, yes };

// Gives the file or folder at `from` the name `to`, in one step and durably; missing folders above `to` are made. With
// Overwrite::yes a regular file at `to` is replaced by a file. Kind::not_found when nothing is at `from`, conflict when
// something is at `to`, invalid for the root itself, a link or a device, and a folder that would be moved into itself.
// Messages name the end they are about.
web::Result<void> move(const Root&, const Components& from, const Components& to, Overwrite);

// Removes a regular file or an empty folder, durably. Kind::conflict for a folder that is not empty, invalid for the
// root itself, a link or a device.
web::Result<void> remove(const Root&, const Components&);

}  // namespace files
