#include "appliance/files/explorer/git/head.h"

#include <sys/stat.h>

namespace git {

namespace {

// Which files of the working copy exist; remembers the last missing folder.
class Presence {
 public:
  explicit Presence(std::string root) : root_(std::move(root)) {}

  bool has(const std::string& path) {
    if (!absent_folder_.empty() && path.starts_with(absent_folder_)) return false;
    if (exists(path)) return true;
    for (auto slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
      if (exists(path.substr(0, slash))) continue;
      absent_folder_ = path.substr(0, slash + 1);
      break;
    }
    return false;
  }

 private:
  bool exists(const std::string& path) const {
    struct stat info {};
    return ::lstat((root_ + path).c_str(), &info) == 0;
  }

  const std::string root_;
  std::string absent_folder_;
};

bool has_sparse_checkout(git_repository* repository) {
  const auto config = made<ConfigHandle>([&](auto** out) { return git_repository_config_snapshot(out, repository); },
                                         "read the configuration");
  const auto is_set = [&](const char* key) {
    int value = 0;
    return git_config_get_bool(&value, config.get(), key) == 0 && value != 0;
  };
  return is_set("core.sparsecheckout") && !is_set("sparse.expectfilesoutsideofpatterns");
}

// As in git, files outside a sparse checkout that exist nonetheless are treated like all others. Changes only the index
// in memory, which is therefore reread each time.
void include_existing_files(git_index* index, const char* root) {
  Presence presence(root);
  for (std::size_t i = 0; i < git_index_entrycount(index); ++i) {
    auto* entry = const_cast<git_index_entry*>(git_index_get_byindex(index, i));  // the only way to change just a flag
    const bool is_skipped = (entry->flags_extended & GIT_INDEX_ENTRY_SKIP_WORKTREE) != 0;
    if (is_skipped && presence.has(entry->path)) entry->flags_extended &= ~GIT_INDEX_ENTRY_SKIP_WORKTREE;
  }
}

}  // namespace

CommitHandle head(git_repository* repository) {
  git_oid id;
  const int code = git_reference_name_to_id(&id, repository, "HEAD");
  if (code == GIT_ENOTFOUND) return nullptr;
  check(code, "find the newest commit");
  return made<CommitHandle>([&](auto** out) { return git_commit_lookup(out, repository, &id); },
                            "read the newest commit");
}

IndexHandle index_of(git_repository* repository) {
  constexpr auto reading = "read the index";
  auto index = made<IndexHandle>([&](auto** out) { return git_repository_index(out, repository); }, reading);
  const auto* root = git_repository_workdir(repository);
  const bool is_sparse = root && has_sparse_checkout(repository);
  check(git_index_read(index.get(), is_sparse ? 1 : 0), reading);
  if (is_sparse) include_existing_files(index.get(), root);
  return index;
}

}  // namespace git
