// Mounts whose files seem to belong to another user than on disk (mount_setattr(2), MOUNT_ATTR_IDMAP; Linux 5.12).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sandbox/become_user.h"
#include "sandbox/descriptor.h"

namespace sandbox {

// A detached copy of the file's or folder's mount, in which what belongs to `owner` on disk belongs to `user` and to
// the group of the same number, and nothing belongs to anybody else. No devices or set-user-id files, and no programs
// unless `may_execute`.
// `opened`: with O_PATH. Needs root. Throws std::system_error. While there is one thread only.
Descriptor mapped_mount(int opened, Account owner, uid_t user, bool is_read_only, bool may_execute = false);

// A detached, empty file system with these folders and empty files, which all may pass through.
Descriptor empty_mount(const std::vector<std::filesystem::path>& folders, const std::filesystem::path& file);

}  // namespace sandbox
