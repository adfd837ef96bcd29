#include "appliance/box/cli/exchange.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "appliance/box/maintenance/exchange_folder.h"
#include "appliance/files/descriptor.h"
#include "appliance/foundation/crypto/random.h"

namespace agentbox::cli {

namespace fs = std::filesystem;

void copy_durably(const fs::path& from, const fs::path& to) {
  fs::copy_file(from, to);
  const files::Descriptor file(::open(to.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file || ::fsync(file.get()) != 0)
    throw fs::filesystem_error("cannot write", to, std::error_code(errno, std::system_category()));
}

namespace {

void copy_private(const fs::path& from, const fs::path& to) {
  copy_durably(from, to);
  fs::permissions(to, fs::perms::owner_read | fs::perms::owner_write);
}

}  // namespace

Exchange::Exchange(const DataFolder& folder) : path_(maintenance::exchange_folder(folder) / crypto::random_hex(8)) {
  struct stat info {};
  if (::stat(folder.path().c_str(), &info) != 0)
    throw UsageError("cannot read " + folder.path().string() + ": " + std::strerror(errno));
  owner_ = info.st_uid;
  group_ = info.st_gid;
  try {
    for (const auto& made : {maintenance::exchange_folder(folder), path_}) {
      fs::create_directory(made);
      fs::permissions(made, fs::perms::owner_all);
      give(made);
    }
  } catch (const fs::filesystem_error& error) {
    throw UsageError(std::string("the data folder cannot be written: ") + error.what());
  }
}

Exchange::~Exchange() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  fs::remove(path_.parent_path(), ignored);  // if nothing else is in it
}

void Exchange::give(const fs::path& path) const {
  if (::geteuid() == 0 && ::lchown(path.c_str(), owner_, group_) != 0)
    throw UsageError("cannot give " + path.string() + " to the box: " + std::strerror(errno));
}

fs::path Exchange::lend(const fs::path& from) const {
  if (!fs::is_regular_file(from)) throw UsageError("there is no file " + from.string());
  auto to = path_ / "lent";
  try {
    copy_private(from, to);
  } catch (const fs::filesystem_error& error) {
    throw UsageError("cannot read " + from.string() + ": " + error.code().message());
  }
  give(to);
  return to;
}

void Exchange::take(const fs::path& written, const fs::path& to) const {
  const auto draft = fs::path(to).concat(".part");
  try {
    fs::remove(draft);
    copy_private(written, draft);
    fs::rename(draft, to);
  } catch (const fs::filesystem_error& error) {
    std::error_code ignored;
    fs::remove(draft, ignored);
    throw UsageError("cannot write " + to.string() + ": " + error.code().message());
  }
}

}  // namespace agentbox::cli
