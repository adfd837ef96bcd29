#include "appliance/files/root.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

#include "web/utf8.h"

namespace files {

namespace {

constexpr mode_t permissions = 0777, new_file = 0644, new_folder = 0755;

using Listing = std::unique_ptr<DIR, decltype([](DIR* folder) { ::closedir(folder); })>;

// When the box runs as root, agents must be able to use the files that it creates in their folders.
bool set_owner(const Descriptor& made, uid_t user, gid_t group) {
  return ::geteuid() != 0 || ::fchown(made.get(), user, group) == 0;
}

web::Error too_large(std::size_t max_bytes) {
  if (max_bytes == 1u << 20) return web::invalid("The file is larger than 1 MB");
  return web::invalid("The file is larger than " + std::to_string(max_bytes) + " bytes");
}

// `visit` takes the descriptor of the folder that is listed and each dirent.
template <class Visit>
void visit_entries(const Descriptor& folder, Visit visit) {
  Descriptor copy(::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!copy) return;
  const Listing open(::fdopendir(copy.get()));
  if (!open) return;
  const int listed = copy.release();
  while (const auto* entry = ::readdir(open.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") visit(listed, *entry);
  }
}

// Most file systems return the kind with the name. nullopt: the entry no longer exists.
std::optional<EntryKind> kind_of(int folder, const dirent& entry) {
  if (entry.d_type == DT_REG) return EntryKind::file;
  if (entry.d_type == DT_DIR) return EntryKind::folder;
  if (entry.d_type != DT_UNKNOWN) return EntryKind::other;
  struct stat info {};
  if (::fstatat(folder, entry.d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  return S_ISREG(info.st_mode) ? EntryKind::file : S_ISDIR(info.st_mode) ? EntryKind::folder : EntryKind::other;
}

// Whether the last name of the path is a link.
bool ends_in_link(const Descriptor& folder, const char* name) {
  struct stat info {};
  return ::fstatat(folder.get(), name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode);
}

}  // namespace

web::Error error_of(int code) {
  switch (code) {
    case ENOENT:
      return web::not_found("There is no such file");
    case ELOOP:
    case EXDEV:
      return web::invalid("path leads through a symbolic link or out of the folder");
    case ENOTDIR:
      return web::invalid("path uses a file as a folder");
    case EISDIR:
      return web::invalid("path is a folder");
    case ENXIO:
      return web::invalid("path is not a regular file");
    case ENAMETOOLONG:
      return web::invalid("path is too long");
    case ENOSPC:
    case EDQUOT:
      return web::unavailable("The disk is full");
    case EAGAIN:  // an agent in a container may hold a lease on its file, which the kernel ends within a minute
      return web::unavailable("The file is held by the agent: try again in a minute");
    case ENOSYS:  // RestrictSUIDSGID of systemd denies it wholly
      return web::internal(
          "This system does not permit openat2, by which paths are kept within their folder: it needs Linux 5.6, and a "
          "systemd unit without RestrictSUIDSGID");
    default:
      return web::internal(std::string("The file system refused: ") + std::strerror(code));
  }
}

int open_beneath(const Descriptor& folder, const char* name, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC | O_NOFOLLOW);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
  const auto opened = static_cast<int>(::syscall(SYS_openat2, folder.get(), name, &how, sizeof how));
  // With O_DIRECTORY the kernel reports ENOTDIR for a link at the end.
  if (opened < 0 && errno == ENOTDIR) errno = ends_in_link(folder, name) ? ELOOP : ENOTDIR;
  return opened;
}

web::Result<Root> Root::open(const std::filesystem::path& path) {
  Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return web::internal("The folder cannot be opened: " + std::string(std::strerror(errno)), path.string());
  return Root(std::move(folder));
}

web::Result<Descriptor> Root::open(const Components& components, int flags) const {
  Descriptor opened(open_beneath(folder_, join(components).c_str(), flags));
  if (!opened) return error_of(errno);
  return opened;
}

web::Result<Descriptor> Root::open_or_make(const Components& components) const {
  Descriptor folder(::openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return error_of(errno);
  for (const auto& name : components) {
    struct stat above {};
    if (::fstat(folder.get(), &above) != 0) return error_of(errno);
    const bool made = ::mkdirat(folder.get(), name.c_str(), new_folder) == 0;
    if (!made && errno != EEXIST) return error_of(errno);
    if (made && ::fsync(folder.get()) != 0) return error_of(errno);
    Descriptor below(open_beneath(folder, name.c_str(), O_RDONLY | O_DIRECTORY));
    if (!below || (made && !set_owner(below, above.st_uid, above.st_gid))) return error_of(errno);
    folder = std::move(below);
  }
  return folder;
}

std::vector<std::string> names_in(const Descriptor& folder) {
  std::vector<std::string> names;
  visit_entries(folder, [&](int, const dirent& entry) { names.emplace_back(entry.d_name); });
  return names;
}

std::vector<FolderEntry> entries_in(const Descriptor& folder) {
  std::vector<FolderEntry> entries;
  visit_entries(folder, [&](int listed, const dirent& entry) {
    if (const auto kind = kind_of(listed, entry)) entries.push_back({.name = entry.d_name, .kind = *kind});
  });
  return entries;
}

web::Result<Text> read_text(const Descriptor& file, std::size_t max_bytes) {
  Text text;
  if (::fstat(file.get(), &text.info) != 0) return error_of(errno);
  if (S_ISDIR(text.info.st_mode)) return error_of(EISDIR);
  if (!S_ISREG(text.info.st_mode)) return error_of(ENXIO);
  if (static_cast<std::size_t>(text.info.st_size) > max_bytes) return too_large(max_bytes);
  // One byte more than its size: the file may be growing.
  text.content.resize(static_cast<std::size_t>(text.info.st_size) + 1);
  std::size_t size = 0;
  for (;;) {
    const auto got = ::read(file.get(), text.content.data() + size, text.content.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return error_of(errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
    if (size > max_bytes) break;
    if (size == text.content.size()) text.content.resize(std::min(2 * size, max_bytes + 1));
  }
  if (size > max_bytes) return too_large(max_bytes);
  text.content.resize(size);
  if (!web::is_utf8(text.content) || text.content.find('\0') != std::string::npos) {
    return web::invalid("The file is not UTF-8 text");
  }
  return text;
}

bool write_all(const Descriptor& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

namespace {

bool copy_slice(const Descriptor& into, Slice slice) {
  std::array<char, 64 * 1024> piece;
  while (slice.size > 0) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(slice.size, piece.size()));
    const auto got = ::pread(slice.file.get(), piece.data(), wanted, static_cast<off_t>(slice.offset));
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = EIO;  // the slice ends early
    if (got <= 0 || !write_all(into, {piece.data(), static_cast<std::size_t>(got)})) return false;
    slice.offset += static_cast<std::uint64_t>(got);
    slice.size -= static_cast<std::uint64_t>(got);
  }
  return true;
}

// `write` takes the descriptor of the new version; false and errno on failure.
template <class Write>
web::Result<void> replace_by(const Descriptor& folder, const std::string& name, const Staging& staging, Write write) {
  struct stat old {};
  const bool exists = ::fstatat(folder.get(), name.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0;
  if (exists && !S_ISREG(old.st_mode)) {
    return error_of(S_ISDIR(old.st_mode) ? EISDIR : S_ISLNK(old.st_mode) ? ELOOP : ENXIO);
  }
  if (!exists && ::fstat(folder.get(), &old) != 0) return error_of(errno);

  const Descriptor file(::openat(staging.folder.get(), staging.name.c_str(),
                                 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, new_file));
  if (!file) return error_of(errno);
  // The owner first: changing it clears bits of the mode.
  if (!set_owner(file, old.st_uid, old.st_gid) || (exists && ::fchmod(file.get(), old.st_mode & permissions) != 0) ||
      !write(file) || ::fsync(file.get()) != 0 ||
      ::renameat(staging.folder.get(), staging.name.c_str(), folder.get(), name.c_str()) != 0 ||
      ::fsync(folder.get()) != 0) {
    const int code = errno;
    ::unlinkat(staging.folder.get(), staging.name.c_str(), 0);
    return error_of(code);
  }
  return {};
}

}  // namespace

web::Result<void> replace(const Descriptor& folder, const std::string& name, std::string_view content,
                          const Staging& staging) {
  return replace_by(folder, name, staging, [content](const Descriptor& file) { return write_all(file, content); });
}

web::Result<void> replace(const Descriptor& folder, const std::string& name, const Slice& content,
                          const Staging& staging) {
  return replace_by(folder, name, staging, [&content](const Descriptor& file) { return copy_slice(file, content); });
}

}  // namespace files
