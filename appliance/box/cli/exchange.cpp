#include "appliance/box/cli/exchange.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "appliance/box/maintenance/exchange_folder.h"
#include "appliance/files/root.h"
#include "appliance/foundation/crypto/random.h"

namespace agentbox::cli {

namespace {

namespace fs = std::filesystem;
using files::Descriptor;

constexpr std::size_t copy_buffer_bytes = 1u << 20;

[[noreturn]] void fail(const std::string& what) { throw UsageError(what + ": " + std::strerror(errno)); }

Descriptor opened(const Descriptor& folder, const std::string& name, int flags) {
  return Descriptor(::openat(folder.get(), name.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
}

// A name for the folder of a descriptor, which no link on its path can change.
fs::path held(const Descriptor& folder) { return "/proc/self/fd/" + std::to_string(folder.get()); }

void copy_bytes(const Descriptor& from, const Descriptor& to, const std::string& shown) {
  std::string piece(copy_buffer_bytes, '\0');
  for (;;) {
    const auto count = ::read(from.get(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("cannot read what goes to " + shown);
    if (count == 0) break;
    if (!files::write_all(to, {piece.data(), static_cast<std::size_t>(count)})) fail("cannot write " + shown);
  }
  if (::fsync(to.get()) != 0) fail("cannot write " + shown);
}

}  // namespace

void copy_durably(const Descriptor& from, const fs::path& to) {
  const Descriptor file(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) fail("cannot write " + to.string());
  copy_bytes(from, file, to.string());
}

Exchange::Exchange(const DataFolder& folder)
    : name_(crypto::random_hex(8)), path_(maintenance::exchange_folder(folder) / name_) {
  const Descriptor data(::open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat info {};
  if (!data || ::fstat(data.get(), &info) != 0) fail("cannot read " + folder.path().string());
  owner_ = info.st_uid;
  group_ = info.st_gid;
  all_ = made(data, maintenance::exchange_folder(folder).filename());
  own_ = made(all_, name_);
  if (::flock(own_.get(), LOCK_EX | LOCK_NB) != 0) fail("cannot lock " + path_.string());
  remove_leftovers();
}

Exchange::~Exchange() {
  std::error_code ignored;
  fs::remove_all(held(all_) / name_, ignored);
  fs::remove(path_.parent_path(), ignored);  // if nothing else is in it
}

void Exchange::give(const Descriptor& file) const {
  if (::geteuid() == 0 && ::fchown(file.get(), owner_, group_) != 0) fail("cannot give a file to the box");
}

Descriptor Exchange::made(const Descriptor& parent, const std::string& name) const {
  if (::mkdirat(parent.get(), name.c_str(), 0700) != 0 && errno != EEXIST) fail("the data folder cannot be written");
  auto folder = opened(parent, name, O_RDONLY | O_DIRECTORY);
  if (!folder || ::fchmod(folder.get(), 0700) != 0) fail("cannot open " + name + " in the data folder");
  give(folder);
  return folder;
}

// Those of commands that live are locked.
void Exchange::remove_leftovers() const {
  for (const auto& name : files::names_in(all_)) {
    if (name == name_) continue;
    const auto folder = opened(all_, name, O_RDONLY | O_DIRECTORY);
    if (folder && ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) continue;
    std::error_code ignored;
    fs::remove_all(held(all_) / name, ignored);
  }
}

fs::path Exchange::lend(const fs::path& from) const {
  if (!fs::is_regular_file(from)) throw UsageError("there is no file " + from.string());
  const Descriptor source(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (!source) fail("cannot read " + from.string());
  const std::string name = "lent";
  const auto copy = opened(own_, name, O_WRONLY | O_CREAT | O_EXCL);
  if (!copy) fail("cannot write " + file(name).string());
  copy_bytes(source, copy, file(name).string());
  give(copy);
  return file(name);
}

Descriptor Exchange::open_file(const std::string& name, const Descriptor* parent) const {
  auto file = opened(parent ? *parent : own_, name, O_RDONLY);
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0) fail("cannot read " + name + ", which the box has written");
  if (!S_ISREG(info.st_mode) || info.st_uid != owner_)
    throw UsageError(name + " in " + path_.string() + " is not a file of the box: nothing was taken from it");
  return file;
}

Descriptor Exchange::open_folder(const std::string& name, const Descriptor* parent) const {
  auto folder = opened(parent ? *parent : own_, name, O_RDONLY | O_DIRECTORY);
  if (!folder) fail("cannot read " + name + ", which the box has written");
  return folder;
}

void Exchange::take(const std::string& name, const fs::path& to) const {
  const auto written = open_file(name);
  const auto draft = fs::path(to).concat(".part");
  std::error_code failed;
  fs::remove(draft, failed);
  try {
    copy_durably(written, draft);
    fs::rename(draft, to, failed);
    if (failed) throw UsageError("cannot write " + to.string() + ": " + failed.message());
  } catch (const UsageError&) {
    fs::remove(draft, failed);
    throw;
  }
}

}  // namespace agentbox::cli
