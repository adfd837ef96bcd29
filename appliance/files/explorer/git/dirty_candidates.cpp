#include "appliance/files/explorer/git/dirty_candidates.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>
#include <thread>

#include "appliance/files/explorer/git/handles.h"
#include "appliance/files/explorer/git/head.h"
#include "appliance/files/explorer/git/index_file.h"
#include "appliance/foundation/descriptor.h"

namespace git {

namespace {

constexpr std::size_t max_candidates = 1'000;
// Fewer folders than this are not worth a second thread.
constexpr std::size_t folders_a_thread = 16;
constexpr unsigned max_threads = 4;

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using OpenFolder = std::unique_ptr<DIR, CloseFolder>;

std::string child(std::string_view folder, std::string_view name) {
  std::string path(folder);
  path += name;
  return path;
}

// True only if the file certainly matches its entry in the index; stricter than git itself.
bool matches_index(const IndexFile::File& file, const struct stat& info, std::int64_t index_written) {
  constexpr std::uint32_t regular = 0100644, executable = 0100755, link = 0120000;
  const std::uint32_t mode = S_ISLNK(info.st_mode)    ? link
                             : !S_ISREG(info.st_mode) ? 0
                             : info.st_mode & S_IXUSR ? executable
                                                      : regular;
  return mode == file.mode && static_cast<std::uint32_t>(info.st_size) == file.size &&
         static_cast<std::uint32_t>(info.st_mtim.tv_sec) == file.modified_seconds &&
         static_cast<std::uint32_t>(info.st_mtim.tv_nsec) == file.modified_nanoseconds &&
         static_cast<std::uint32_t>(info.st_ctim.tv_sec) == file.changed_seconds &&
         static_cast<std::uint32_t>(info.st_ctim.tv_nsec) == file.changed_nanoseconds &&
         static_cast<std::uint32_t>(info.st_ino) == file.inode && info.st_uid == file.user &&
         info.st_gid == file.group && info.st_mtim.tv_sec < index_written;
}

// Compares the working copy with the index. Folders are distributed to several threads.
class Survey {
 public:
  Survey(const IndexFile& index, int root) : index_(index), root_(root) {
    for (const auto& [path, folder] : index.folders()) folders_.push_back(&folder);
  }

  // False if it cannot be determined.
  bool make(DirtyCandidates& found) {
    const auto wanted = std::min<std::size_t>(std::thread::hardware_concurrency(), folders_.size() / folders_a_thread);
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min<std::size_t>(wanted, max_threads); ++i)
      others.emplace_back([this] { work(); });
    work();
    others.clear();
    found.edited = std::move(found_.edited);
    found.unknown = std::move(found_.unknown);
    return !is_unknown_;
  }

 private:
  void work() {
    DirtyCandidates found;
    for (std::size_t at = next_++; at < folders_.size() && !is_unknown_; at = next_++) {
      survey_folder(*folders_[at], found);
      if (found.edited.size() + found.unknown.size() > max_candidates) is_unknown_ = true;
    }
    const std::lock_guard lock(mutex_);
    std::ranges::move(found.edited, std::back_inserter(found_.edited));
    std::ranges::move(found.unknown, std::back_inserter(found_.unknown));
    if (found_.edited.size() + found_.unknown.size() > max_candidates) is_unknown_ = true;
  }

  void survey_folder(const IndexFile::Folder& folder, DirtyCandidates& found) {
    const auto opened = open(folder);
    if (!opened) {
      for (const auto& file : folder.files) found.edited.push_back(child(folder.path, file.name));
      return;
    }
    for (const auto& file : folder.files) {
      struct stat info {};
      const bool is_there = ::fstatat(::dirfd(opened.get()), file.name.data(), &info, AT_SYMLINK_NOFOLLOW) == 0;
      if (!is_there || !matches_index(file, info, index_.written_seconds())) {
        found.edited.push_back(child(folder.path, file.name));
      }
    }
    const auto unknown_before = found.unknown.size();
    while (const dirent* entry = ::readdir(opened.get())) {
      if (!is_known(folder, *entry, ::dirfd(opened.get()))) found.unknown.push_back(child(folder.path, entry->d_name));
    }
    // libgit2 treats a folder as new, and does not read it, if the paths name none of its files.
    const bool has_unknown = found.unknown.size() > unknown_before;
    if (has_unknown && !folder.path.empty()) found.edited.push_back(some_file_below(folder));
  }

  // A file in the index, which has no folders without files.
  std::string some_file_below(const IndexFile::Folder& folder) const {
    if (!folder.files.empty()) return child(folder.path, folder.files.front().name);
    return some_file_below(index_.folders().find(child(folder.path, folder.folders.front()) + "/")->second);
  }

  // Whether the index has the entry of the opened folder `at`, as a file or as a folder.
  bool is_known(const IndexFile::Folder& folder, const dirent& entry, int at) {
    const std::string_view name = entry.d_name;
    if (name == "." || name == "..") return true;
    if (name == ".git") {
      if (!folder.path.empty()) is_unknown_ = true;  // a nested repository
      return true;
    }
    if (std::ranges::binary_search(folder.files, name, {}, &IndexFile::File::name)) return true;
    return std::ranges::binary_search(folder.folders, name) && is_folder(entry, at);
  }

  // A file may have taken the place of the index's folder.
  static bool is_folder(const dirent& entry, int at) {
    if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
    struct stat info {};
    return ::fstatat(at, entry.d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode);
  }

  // Null if there is no such folder, or only through a link.
  OpenFolder open(const IndexFile::Folder& folder) const {
    files::Descriptor at(::openat(root_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    std::string_view rest = folder.path;
    while (at && !rest.empty()) {
      const std::string name(rest.substr(0, rest.find('/')));
      at.reset(::openat(at.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      rest.remove_prefix(name.size() + 1);
    }
    return OpenFolder(at ? ::fdopendir(at.release()) : nullptr);
  }

  const IndexFile& index_;
  const int root_;
  std::vector<const IndexFile::Folder*> folders_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> is_unknown_ = false;
  std::mutex mutex_;  // protects found_
  DirtyCandidates found_;
};

// Compares the index with the last commit. If the cached tree of a folder equals the commit's, nothing below differs.
class TreeComparison {
 public:
  TreeComparison(git_repository* repository, const IndexFile& index) : repository_(repository), index_(index) {}

  std::vector<std::string> run(const git_oid& tree) {
    compare(tree, "");
    return std::move(found_);
  }

 private:
  void compare(const git_oid& id, const std::string& path) {
    const auto found = index_.folders().find(path);
    if (found == index_.folders().end()) return found_.push_back(path);
    const auto& folder = found->second;
    if (folder.tree && std::memcmp(folder.tree->data(), id.id, folder.tree->size()) == 0) return;
    const auto tree = made<TreeHandle>([&](auto** out) { return git_tree_lookup(out, repository_, &id); },
                                       "read the newest commit's files");
    std::size_t files = 0, folders = 0;
    for (std::size_t i = 0; i < git_tree_entrycount(tree.get()); ++i) {
      const auto* entry = git_tree_entry_byindex(tree.get(), i);
      const std::string name = git_tree_entry_name(entry);
      if (git_tree_entry_type(entry) == GIT_OBJECT_TREE) {
        const bool is_there = std::ranges::binary_search(folder.folders, name);
        folders += is_there ? 1 : 0;
        if (is_there) {
          compare(*git_tree_entry_id(entry), path + name + "/");
        } else {
          found_.push_back(path + name);
        }
      } else {
        files += compare_file(folder, name, entry) ? 1 : 0;
      }
    }
    if (files < folder.files.size() || folders < folder.folders.size()) note_new(folder, tree.get());
  }

  // True if the index has such a file.
  bool compare_file(const IndexFile::Folder& folder, const std::string& name, const git_tree_entry* entry) {
    const auto file = std::ranges::lower_bound(folder.files, name, {}, &IndexFile::File::name);
    const bool is_there = file != folder.files.end() && file->name == name;
    const bool is_same = is_there && file->mode == static_cast<std::uint32_t>(git_tree_entry_filemode(entry)) &&
                         std::memcmp(file->id.data(), git_tree_entry_id(entry)->id, file->id.size()) == 0;
    if (!is_same) found_.push_back(child(folder.path, name));
    return is_there;
  }

  void note_new(const IndexFile::Folder& folder, const git_tree* tree) {
    const auto is_new = [&](std::string_view name, bool is_folder) {
      const auto* entry = git_tree_entry_byname(tree, std::string(name).c_str());
      return !entry || (git_tree_entry_type(entry) == GIT_OBJECT_TREE) != is_folder;
    };
    for (const auto& file : folder.files)
      if (is_new(file.name, false)) found_.push_back(child(folder.path, file.name));
    for (const auto& name : folder.folders)
      if (is_new(name, true)) found_.push_back(child(folder.path, name));
  }

  git_repository* repository_;
  const IndexFile& index_;
  std::vector<std::string> found_;
};

// On file systems that ignore case only libgit2 compares names correctly.
bool ignores_case(git_repository* repository) {
  const auto config = made<ConfigHandle>([&](auto** out) { return git_repository_config_snapshot(out, repository); },
                                         "read the configuration");
  int ignored = 0;
  return git_config_get_bool(&ignored, config.get(), "core.ignorecase") == 0 && ignored != 0;
}

}  // namespace

std::optional<DirtyCandidates> dirty_candidates(git_repository* repository) {
  const auto commit = head(repository);
  const char* files = git_repository_workdir(repository);
  if (!commit || !files || ignores_case(repository)) return std::nullopt;
  const auto index = IndexFile::read(std::string(git_repository_path(repository)) + "index");
  if (!index) return std::nullopt;
  const files::Descriptor root(::open(files, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root) return std::nullopt;
  DirtyCandidates candidates;
  if (!Survey(*index, root.get()).make(candidates)) return std::nullopt;
  candidates.staged = TreeComparison(repository, *index).run(*git_commit_tree_id(commit.get()));
  if (candidates.staged.size() > max_candidates) return std::nullopt;
  return candidates;
}

}  // namespace git
