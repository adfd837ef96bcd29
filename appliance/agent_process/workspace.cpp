#include "appliance/agent_process/workspace.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include "appliance/agent_process/workspace_path.h"
#include "appliance/crypto/random.h"
#include "web/utf8.h"

namespace agent_process {

namespace {

constexpr std::string_view temporary_prefix = "write-";
constexpr std::size_t most_listed_levels = 8;

using Folder = std::unique_ptr<DIR, decltype([](DIR* folder) { ::closedir(folder); })>;

int open_at(int root, const char* path, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC | O_NOFOLLOW);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
  return static_cast<int>(::syscall(SYS_openat2, root, path, &how, sizeof how));
}

web::Error error_of(int code) {
  switch (code) {
    case ENOENT:
      return web::not_found("There is no such file");
    case ELOOP:
    case EXDEV:
      return web::invalid("path leads through a symbolic link or out of the workspace");
    case ENOTDIR:
      return web::invalid("path uses a file as a folder");
    case EISDIR:
      return web::invalid("path is a folder");
    case ENXIO:
      return web::invalid("path is not a regular file");
    case ENOSPC:
    case EDQUOT:
      return web::unavailable("The disk is full");
    default:
      return web::internal(std::string("The file system refused: ") + std::strerror(code));
  }
}

std::string join(const std::vector<std::string>& components) {
  std::string path;
  for (const auto& name : components) path.append(path.empty() ? "" : "/").append(name);
  return path.empty() ? "." : path;
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::vector<std::string> names_in(const Descriptor& folder) {
  std::vector<std::string> names;
  const int copy = ::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (copy < 0) return names;
  const Folder open(::fdopendir(copy));
  if (!open) {
    ::close(copy);
    return names;
  }
  while (const auto* entry = ::readdir(open.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != ".." && !is_reserved(name) && web::is_utf8(name)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

void list_into(const Descriptor& folder, const std::string& prefix, std::size_t level, Workspace::Listing& listing) {
  for (const auto& name : names_in(folder)) {
    struct stat info {};
    if (::fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    const bool is_folder = S_ISDIR(info.st_mode);
    if (!is_folder && !S_ISREG(info.st_mode)) continue;
    if (listing.entries.size() == Workspace::most_entries) {
      listing.truncated = true;
      return;
    }
    const auto path = prefix + name + (is_folder ? "/" : "");
    listing.entries.push_back({.path = path, .size = is_folder ? 0 : static_cast<std::uint64_t>(info.st_size)});
    if (!is_folder) continue;
    if (level == most_listed_levels) {
      listing.truncated = true;
      continue;
    }
    const Descriptor below(open_at(folder.get(), name.c_str(), O_RDONLY | O_DIRECTORY));
    if (below) list_into(below, path, level + 1, listing);
  }
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = other.release();
  }
  return *this;
}

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

int Descriptor::release() { return std::exchange(fd_, -1); }

Workspace::Workspace(std::filesystem::path root) : path_(std::move(root)) {
  const auto fail = [&](int code) {
    throw std::runtime_error("the workspace " + path_.string() + " cannot be used: " + std::strerror(code));
  };
  std::error_code error;
  std::filesystem::create_directories(path_, error);
  if (error) fail(error.value());
  root_ = Descriptor(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root_) fail(errno);
  const std::string state_name(state_folder);
  if (::mkdirat(root_.get(), state_name.c_str(), 0700) != 0 && errno != EEXIST) fail(errno);
  state_ = Descriptor(open_at(root_.get(), state_name.c_str(), O_RDONLY | O_DIRECTORY));
  if (!state_) fail(errno);
  for (const auto& name : names_in(state_)) {
    if (name.starts_with(temporary_prefix)) ::unlinkat(state_.get(), name.c_str(), 0);
  }
}

std::filesystem::path Workspace::state(std::string_view name) const { return path_ / state_folder / name; }

bool Workspace::is_writable() const { return ::faccessat(state_.get(), ".", W_OK | X_OK, AT_EACCESS) == 0; }

web::Result<Descriptor> Workspace::open_beneath(const std::vector<std::string>& components, int flags) const {
  Descriptor opened(open_at(root_.get(), join(components).c_str(), flags));
  if (!opened) return error_of(errno);
  return opened;
}

web::Result<Descriptor> Workspace::open_folders(const std::vector<std::string>& components) const {
  Descriptor folder(::openat(root_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (const auto& name : components) {
    if (::mkdirat(folder.get(), name.c_str(), 0755) == 0) {
      if (::fsync(folder.get()) != 0) return error_of(errno);
    } else if (errno != EEXIST) {
      return error_of(errno);
    }
    Descriptor below(open_at(folder.get(), name.c_str(), O_RDONLY | O_DIRECTORY));
    if (!below) return error_of(errno);
    folder = std::move(below);
  }
  return folder;
}

web::Result<std::string> Workspace::read(std::string_view path) const {
  const auto components = path_components(path);
  if (!components) return components.error();
  // O_NONBLOCK: opening a pipe someone put there must not hang.
  const auto file = open_beneath(*components, O_RDONLY | O_NONBLOCK);
  if (!file) return file.error();
  struct stat info {};
  if (::fstat(file->get(), &info) != 0) return error_of(errno);
  if (S_ISDIR(info.st_mode)) return error_of(EISDIR);
  if (!S_ISREG(info.st_mode)) return error_of(ENXIO);
  if (static_cast<std::size_t>(info.st_size) > most_file_bytes) return web::invalid("The file is larger than 1 MB");
  std::string content(most_file_bytes + 1, '\0');
  std::size_t size = 0;
  while (size < content.size()) {
    const auto got = ::read(file->get(), content.data() + size, content.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return error_of(errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  if (size > most_file_bytes) return web::invalid("The file is larger than 1 MB");
  content.resize(size);
  content.shrink_to_fit();
  if (!web::is_utf8(content)) return web::invalid("The file is not UTF-8 text");
  return content;
}

web::Result<void> Workspace::write(std::string_view path, std::string_view content) const {
  auto components = path_components(path);
  if (!components) return components.error();
  if (components->empty()) return web::invalid("path must name a file");
  if (path.ends_with('/')) return error_of(EISDIR);
  if (content.size() > most_file_bytes) return web::invalid("content must be at most 1 MB");
  const auto name = std::move(components->back());
  components->pop_back();
  const auto folder = open_folders(*components);
  if (!folder) return folder.error();
  struct stat info {};
  if (::fstatat(folder->get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(info.st_mode)) {
    return error_of(S_ISDIR(info.st_mode) ? EISDIR : S_ISLNK(info.st_mode) ? ELOOP : ENXIO);
  }

  const auto temporary = std::string(temporary_prefix) + crypto::random_id(16);
  const Descriptor file(
      ::openat(state_.get(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!file) return error_of(errno);
  if (!write_all(file.get(), content) || ::fsync(file.get()) != 0 ||
      ::renameat(state_.get(), temporary.c_str(), folder->get(), name.c_str()) != 0 || ::fsync(folder->get()) != 0) {
    const int code = errno;
    ::unlinkat(state_.get(), temporary.c_str(), 0);
    return error_of(code);
  }
  return {};
}

web::Result<Workspace::Listing> Workspace::list(std::string_view path) const {
  const auto components = path_components(path);
  if (!components) return components.error();
  const auto folder = open_beneath(*components, O_RDONLY | O_DIRECTORY);
  if (!folder) return folder.error();
  Listing listing;
  list_into(*folder, components->empty() ? "" : join(*components) + "/", 1, listing);
  return listing;
}

}  // namespace agent_process
