#include "appliance/box/cli/folder_owner.h"

#include <sys/stat.h>
#include <unistd.h>

#include <iostream>
#include <optional>
#include <system_error>

#include "sandbox/become_user.h"

namespace agentbox::cli {

namespace {

// The folder's, if this process is root and the owner is not.
std::optional<sandbox::Account> other_owner(const DataFolder& folder) {
  struct stat info {};
  if (::geteuid() != 0 || ::stat(folder.path().c_str(), &info) != 0 || info.st_uid == 0) return std::nullopt;
  return sandbox::Account{.user = info.st_uid, .group = info.st_gid};
}

}  // namespace

void become_owner(const DataFolder& folder) {
  const auto owner = other_owner(folder);
  if (!owner) return;
  try {
    sandbox::become_user(*owner);
  } catch (const std::system_error& error) {
    throw UsageError("cannot work as the owner of " + folder.path().string() + ": " + error.what());
  }
}

OwnerKept::~OwnerKept() {
  const auto owner = other_owner(folder_);
  if (!owner) return;
  try {
    sandbox::give_folder(folder_.path(), folder_.agents(), *owner);
  } catch (const std::system_error& error) {
    std::cerr << "agentbox: some files in " << folder_.path().string()
              << " belong to root now, and the box cannot use them: " << error.what() << '\n';
  }
}

}  // namespace agentbox::cli
