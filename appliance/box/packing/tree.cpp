#include "appliance/box/packing/tree.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "appliance/files/root.h"
#include "appliance/foundation/data_folder.h"
#include "appliance/foundation/settings/settings.h"

namespace packing {

namespace {

namespace fs = std::filesystem;
using agentbox::UsageError;
using files::Descriptor;

constexpr std::size_t deepest = 200;  // nested folders; each takes a descriptor

[[noreturn]] void fail(const char* what, std::string_view path) {
  throw UsageError(std::string(what) + " " + std::string(path.substr(0, 1'000)) + ": " + std::strerror(errno));
}

class Walk {
 public:
  Walk(ArchiveWriter& archive, LeftOut& left_out) : archive_(archive), left_out_(left_out) {}

  void add(int folder, const std::string& name, const std::string& path, std::size_t depth);

 private:
  void add_link(int folder, const std::string& name, Entry entry, std::size_t depth);

  ArchiveWriter& archive_;
  LeftOut& left_out_;
};

void Walk::add_link(int folder, const std::string& name, Entry entry, std::size_t depth) {
  std::array<char, 4'096> target{};
  const auto size = ::readlinkat(folder, name.c_str(), target.data(), target.size());
  if (size < 0) return;  // removed, or no longer a link
  entry.target.assign(target.data(), static_cast<std::size_t>(size));
  const auto root = root_of(entry.path);
  depth = root == entry.path ? 0 : parts_of(entry.path).size() - parts_of(root).size() - 1;
  if (root == entry.path || !stays_within(entry.target, depth)) {
    left_out_.push_back("the link " + entry.path + ": it leads to " + entry.target + ", outside of its folder");
    return;
  }
  entry.type = EntryType::link;
  entry.mode = 0777;
  archive_.add(entry);
}

bool is_of_agent(std::string_view path) { return agentbox::is_kept_of_agents(parts_of(root_of(path)).back()); }

// `name` in `folder` as `path`. Only what is opened counts: it may have been replaced since it was listed.
void Walk::add(int folder, const std::string& name, const std::string& path, std::size_t depth) {
  struct stat info {};
  if (::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return;
  Entry entry{.path = path, .mode = info.st_mode & 0777u, .modified = info.st_mtim.tv_sec, .target = {}};
  if (S_ISLNK(info.st_mode)) return add_link(folder, name, std::move(entry), depth);
  if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) return;
  const Descriptor opened(::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!opened && (errno == ENOENT || errno == ELOOP || errno == ENXIO)) return;
  // An agent's files, which it may close to the box or hold a lease on, cannot stop what concerns the whole box.
  if (!opened && (errno == EACCES || errno == EPERM || errno == EAGAIN) && is_of_agent(path)) {
    left_out_.push_back(path.substr(0, 1'000) + ": " + std::strerror(errno));
    return;
  }
  if (!opened || ::fstat(opened.get(), &info) != 0) fail("cannot read", path);
  entry.mode = info.st_mode & 0777u;
  entry.modified = info.st_mtim.tv_sec;
  if (S_ISREG(info.st_mode)) {
    entry.size = static_cast<std::uint64_t>(info.st_size);
    archive_.add(entry, opened);
    return;
  }
  if (!S_ISDIR(info.st_mode)) return;
  if (depth >= deepest) {
    left_out_.push_back("a folder of " + std::string(root_of(path)) + " that is nested more than 200 deep");
    return;
  }
  entry.type = EntryType::folder;
  entry.mode |= 0700u;
  archive_.add(entry);
  auto names = files::names_in(opened);
  std::ranges::sort(names);
  for (const auto& below : names) add(opened.get(), below, path + "/" + below, depth + 1);
}

}  // namespace

void add_tree(ArchiveWriter& archive, const fs::path& folder, const std::string& name, LeftOut& left_out) {
  const Descriptor parent(::open(folder.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!parent) return;
  Walk(archive, left_out).add(parent.get(), folder.filename().string(), name, 0);
}

std::uint64_t bytes_in(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code failed;
  for (fs::recursive_directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    struct stat info {};
    if (::lstat(entry->path().c_str(), &info) == 0 && S_ISREG(info.st_mode))
      bytes += std::min(static_cast<std::uint64_t>(info.st_size), static_cast<std::uint64_t>(info.st_blocks) * 512);
  }
  return bytes;
}

Extraction::Extraction(const fs::path& folder)
    : path_(folder), top_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (!top_) fail("cannot open", path_.string());
}

// The folder of the entry, which came before it in the archive or is made now.
const Descriptor& Extraction::folder_of(std::string_view path) {
  auto parts = parts_of(path);
  parts.pop_back();
  std::size_t same = 0;
  while (same < parts.size() && same < levels_.size() && levels_[same].name == parts[same]) ++same;
  levels_.resize(same);
  for (; same < parts.size(); ++same) {
    if (same > deepest + 3)
      throw UsageError("a folder is nested more than 200 deep: " + std::string(path.substr(0, 200)));
    const auto& parent = same == 0 ? top_ : levels_[same - 1].folder;
    const std::string name(parts[same]);
    if (::mkdirat(parent.get(), name.c_str(), 0700) != 0 && errno != EEXIST) fail("cannot make the folder", name);
    Descriptor folder(::openat(parent.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder) fail("cannot open the folder", name);
    levels_.push_back({name, std::move(folder)});
  }
  return levels_.empty() ? top_ : levels_.back().folder;
}

void Extraction::write_file(const Descriptor& folder, const std::string& name, const Entry& entry,
                            ArchiveReader& archive) {
  const Descriptor file(
      ::openat(folder.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) fail("cannot write", entry.path);
  archive.read([&](std::uint64_t offset, std::string_view bytes) {
    while (!bytes.empty()) {
      const auto count = ::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (count < 0) fail("cannot write", entry.path);
      offset += static_cast<std::uint64_t>(count);
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  });
  const std::array<timespec, 2> times{timespec{.tv_sec = entry.modified, .tv_nsec = 0},
                                      timespec{.tv_sec = entry.modified, .tv_nsec = 0}};
  if (::ftruncate(file.get(), static_cast<off_t>(entry.size)) != 0 || ::fchmod(file.get(), entry.mode) != 0 ||
      ::futimens(file.get(), times.data()) != 0)
    fail("cannot write", entry.path);
}

void Extraction::write(const Entry& entry, std::string_view path, ArchiveReader& archive) {
  const auto& folder = folder_of(path);
  const std::string name(parts_of(path).back());
  switch (entry.type) {
    case EntryType::file:
      return write_file(folder, name, entry, archive);
    case EntryType::link:
      if (::symlinkat(entry.target.c_str(), folder.get(), name.c_str()) != 0) fail("cannot make the link", entry.path);
      return;
    case EntryType::folder:
      if (::mkdirat(folder.get(), name.c_str(), 0700) != 0 && errno != EEXIST) fail("cannot make", entry.path);
      // Another program may have put a link there.
      const Descriptor made(::openat(folder.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (!made || ::fchmod(made.get(), entry.mode | 0700u) != 0) fail("cannot make", entry.path);
  }
}

}  // namespace packing
