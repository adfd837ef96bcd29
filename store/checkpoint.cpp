#include "store/checkpoint.h"

#include "store/engine.h"
#include "store/rocks/folder_lock.h"
#include "store/rocks/store_folder.h"

namespace store {

namespace fs = std::filesystem;

void checkpoint_closed(const fs::path& folder, const fs::path& to) {
  const FolderLock lock(folder, FolderLock::Kind::exclusive);
  const fs::path beside = fs::path(to).concat(".making");
  try {
    fs::remove_all(beside);
    fs::create_directories(beside);
    fs::permissions(beside, fs::perms::owner_all);
    for (const auto& entry : fs::directory_iterator(folder)) {
      const auto name = entry.path().filename();
      if (!entry.is_regular_file() || name == "agentbox.lock" || name == "LOCK") continue;
      // Tables are written once. Logs and the manifest go on being written.
      if (name.extension() == ".sst") {
        fs::create_hard_link(entry.path(), beside / name);
      } else {
        fs::copy_file(entry.path(), beside / name);
        sync_path(beside / name);
      }
    }
    sync_path(beside);
    fs::rename(beside, to);
    sync_path(fs::absolute(to).parent_path());
  } catch (const fs::filesystem_error& error) {
    throw Unavailable("the store in " + folder.string() + " cannot be copied: " + error.what());
  }
}

void rename_closed(const fs::path& folder, const fs::path& to) {
  const FolderLock lock(folder, FolderLock::Kind::exclusive);
  try {
    fs::rename(folder, to);
    sync_path(fs::absolute(to).parent_path());
  } catch (const fs::filesystem_error& error) {
    throw Unavailable("the store in " + folder.string() + " cannot be renamed: " + error.what());
  }
}

}  // namespace store
