#include "appliance/box/maintenance/mirror.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "appliance/foundation/descriptor.h"

namespace maintenance {

namespace {

namespace fs = std::filesystem;
using files::Descriptor;

[[noreturn]] void fail(const char* what, const fs::path& path) {
  throw fs::filesystem_error(what, path, std::error_code(errno, std::generic_category()));
}

struct stat status_of(int file, const fs::path& path) {
  struct stat status {};
  if (::fstat(file, &status) != 0) fail("cannot look at", path);
  return status;
}

constexpr int deepest = 200;  // nested folders; each takes three descriptors while it is copied
constexpr std::size_t max_named = 10;
constexpr std::chrono::milliseconds patience{2'000}, pause{50};

// By its owner, who may close it to the box or hold a lease on it. All else is the disk's failure.
bool is_refusal(int error) { return error == EACCES || error == EPERM || error == EAGAIN; }

// Empty if it is none.
Descriptor opened_folder(int parent, const std::string& name) {
  return Descriptor(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

// Without `.` and `..`.
std::vector<std::string> names_in(int folder, const fs::path& path) {
  Descriptor own(
      ::fcntl(folder, F_DUPFD_CLOEXEC, 0));  // not by name, which a folder without the right to enter refuses
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(own ? ::fdopendir(own.get()) : nullptr, &::closedir);
  if (!entries) fail("cannot list", path);
  own.release();  // closedir closes it
  ::rewinddir(entries.get());
  std::vector<std::string> names;
  for (errno = 0; const dirent* entry = ::readdir(entries.get()); errno = 0) {
    const std::string name(entry->d_name);
    if (name != "." && name != "..") names.push_back(name);
  }
  if (errno != 0) fail("cannot list", path);
  return names;
}

// A path in the copy: one that is short at any depth, and the full one for messages.
struct Target {
  fs::path at, shown;
};

bool is_same(int folder, const char* name, const struct stat& source) {
  struct stat copy {};
  return ::fstatat(folder, name, &copy, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(copy.st_mode) &&
         copy.st_size == source.st_size && (copy.st_mode & 0777) == (source.st_mode & 0777) &&
         copy.st_mtim.tv_sec == source.st_mtim.tv_sec && copy.st_mtim.tv_nsec == source.st_mtim.tv_nsec;
}

// Copies the bytes between two offsets, or those that still exist.
void copy_range(int from, int to, off_t at, off_t end, const Target& target) {
  std::array<char, 64 * 1024> buffer;
  while (at < end) {
    const auto size = std::min<off_t>(end - at, buffer.size());
    const auto count = ::pread(from, buffer.data(), static_cast<std::size_t>(size), at);
    if (count < 0) fail("cannot read what goes to", target.shown);
    if (count == 0) return;
    for (ssize_t done = 0; done < count;) {
      const auto written = ::pwrite(to, buffer.data() + done, static_cast<std::size_t>(count - done), at + done);
      if (written < 0) fail("cannot write", target.shown);
      done += written;
    }
    at += count;
  }
}

// Keeps holes: a sparse file may be larger than any disk.
void copy_bytes(int from, int to, off_t size, const Target& target) {
  for (off_t at = 0; at < size;) {
    const auto data = ::lseek(from, at, SEEK_DATA);
    if (data < 0 && errno == ENXIO) break;  // only a hole is left
    const auto hole = data < 0 ? data : ::lseek(from, data, SEEK_HOLE);
    if (hole < 0 && errno == ENXIO) break;  // truncated meanwhile
    if (hole < 0) fail("cannot read what goes to", target.shown);
    copy_range(from, to, data, std::min(hole, size), target);
    at = hole;
  }
  if (::ftruncate(to, size) != 0) fail("cannot write", target.shown);
}

// `before`: the folder of the earlier copy, or -1.
void copy_file(int from, const struct stat& source, int before, const std::string& name, const Target& target) {
  if (is_same(AT_FDCWD, target.at.c_str(), source)) return;
  fs::remove_all(target.at);
  if (before >= 0 && is_same(before, name.c_str(), source) &&
      ::linkat(before, name.c_str(), AT_FDCWD, target.at.c_str(), 0) == 0)
    return;
  const mode_t mode = source.st_mode & 0777;
  const Descriptor to(::open(target.at.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!to) fail("cannot write", target.shown);
  copy_bytes(from, to.get(), source.st_size, target);
  const std::array<timespec, 2> times{source.st_atim, source.st_mtim};
  if (::fchmod(to.get(), mode) != 0 || ::futimens(to.get(), times.data()) != 0) fail("cannot write", target.shown);
}

void copy_link(int folder, const std::string& name, const Target& target) {
  std::array<char, 4096> text;
  const auto size = ::readlinkat(folder, name.c_str(), text.data(), text.size());
  if (size < 0) return;  // removed, or no longer a link
  fs::remove_all(target.at);
  fs::create_symlink(std::string(text.data(), static_cast<std::size_t>(size)), target.at);
}

class Mirror {
 public:
  // `before`: the folder of the earlier copy, or -1; `inside`: the folder's path in the source.
  void copy_folder(int from, int before, const Target& to, const fs::path& inside, int depth);
  Mirrored& done() { return done_; }

 private:
  bool copy_entry(int folder, int before, const std::string& name, const Target& target, const fs::path& inside,
                  int depth);
  Descriptor open(int folder, const std::string& name);
  void leave_out(const fs::path& inside);
  void keep_earlier(int before, const std::string& name, const Target& target, const fs::path& inside, int depth);

  Mirrored done_;
  std::chrono::milliseconds patience_ = patience;
};

void Mirror::leave_out(const fs::path& inside) {
  ++done_.refused;
  if (done_.refusals.size() < max_named)
    done_.refusals.push_back(inside.string().substr(0, 1'000) + ": " + std::strerror(errno));
}

// What the earlier copy has of an entry that cannot be opened now; nothing if the copy has it already, or never had it.
void Mirror::keep_earlier(int before, const std::string& name, const Target& target, const fs::path& inside,
                          int depth) {
  if (before < 0 || fs::exists(fs::symlink_status(target.at))) return;
  if (const auto folder = opened_folder(before, name)) {
    copy_folder(folder.get(), folder.get(), target, inside, depth + 1);
  } else {
    const auto linked = ::linkat(before, name.c_str(), AT_FDCWD, target.at.c_str(), 0);
    static_cast<void>(linked);  // without an earlier copy there is nothing to keep
  }
}

// The kernel asks the holder of a lease to give it up, and takes it away in the end.
Descriptor Mirror::open(int folder, const std::string& name) {
  for (;;) {
    Descriptor source(::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (source || errno != EAGAIN || patience_ <= pause) return source;
    std::this_thread::sleep_for(pause);
    patience_ -= pause;
  }
}

// Returns false if nothing of that name is to be kept.
bool Mirror::copy_entry(int folder, int before, const std::string& name, const Target& target, const fs::path& inside,
                        int depth) {
  const auto refused = [&] {
    leave_out(inside);
    keep_earlier(before, name, target, inside, depth);
    return true;
  };
  struct stat status {};
  if (::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return is_refusal(errno) && refused();
  if (S_ISLNK(status.st_mode)) {
    copy_link(folder, name, target);
    return true;
  }
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return false;
  // The entry may have been replaced since: only the opened file counts.
  const auto source = open(folder, name);
  if (!source && is_refusal(errno)) return refused();
  if (!source && (errno == ENOENT || errno == ELOOP || errno == ENXIO)) return false;
  if (!source) fail("cannot read what goes to", target.shown);
  const auto opened = status_of(source.get(), target.shown);
  if (S_ISREG(opened.st_mode)) {
    copy_file(source.get(), opened, before, name, target);
    return true;
  }
  if (!S_ISDIR(opened.st_mode)) return false;
  if (depth >= deepest) {
    ++done_.deep_folders;
    return false;
  }
  const auto earlier = before < 0 ? Descriptor() : opened_folder(before, name);
  copy_folder(source.get(), earlier.get(), target, inside, depth + 1);
  return true;
}

void Mirror::copy_folder(int from, int before, const Target& to, const fs::path& inside, int depth) {
  if (!fs::is_directory(fs::symlink_status(to.at))) fs::remove_all(to.at);
  fs::create_directories(to.at);
  fs::permissions(to.at, static_cast<fs::perms>(status_of(from, to.shown).st_mode & 0777) | fs::perms::owner_all);
  const Descriptor folder(::open(to.at.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) fail("cannot open", to.shown);
  const auto here = "/proc/self/fd/" + std::to_string(folder.get());
  std::set<std::string> present;
  for (const auto& name : names_in(from, to.shown))
    if (copy_entry(from, before, name, {fs::path(here) / name, to.shown / name}, inside / name, depth))
      present.insert(name);
  for (const auto& entry : fs::directory_iterator(here))
    if (!present.contains(entry.path().filename().string())) fs::remove_all(entry.path());
}

}  // namespace

Mirrored mirror(const Descriptor& from, const fs::path& to, const fs::path& before) {
  const auto earlier = before.empty() ? Descriptor() : opened_folder(AT_FDCWD, before.string());
  Mirror mirror;
  mirror.copy_folder(from.get(), earlier.get(), {to, to}, {}, 0);
  return std::move(mirror.done());
}

std::vector<std::string> sentences(const Mirrored& mirrored) {
  auto texts = mirrored.refusals;
  if (const auto more = mirrored.refused - mirrored.refusals.size(); more > 0)
    texts.push_back(std::to_string(more) + " more that cannot be opened");
  if (const auto folders = mirrored.deep_folders; folders > 0)
    texts.push_back(std::to_string(folders) + (folders == 1 ? " folder" : " folders") + " within more than 200 others");
  return texts;
}

}  // namespace maintenance
