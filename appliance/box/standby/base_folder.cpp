#include "appliance/box/standby/base_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

#include "appliance/box/packing/entry.h"
#include "appliance/box/standby/connection.h"

namespace standby {

namespace fs = std::filesystem;

BaseFolder::BaseFolder(fs::path path) : path_(std::move(path)) {
  fs::remove_all(path_);
  fs::create_directories(path_);
  fs::permissions(path_, fs::perms::owner_all);
}

void BaseFolder::begin_file(const std::string& name) {
  if (!packing::is_plain_path(name) || name.find('/') != std::string::npos)
    throw std::runtime_error("a file of the copy has no plain name");
  file_ = files::Descriptor(::open((path_ / name).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file_) fail();
}

void BaseFolder::add_piece(std::string_view content) {
  auto at = static_cast<off_t>(read_number(content));
  auto bytes = content.substr(8);
  if (!file_) throw std::runtime_error("a piece of no file");
  if (bytes.empty()) {
    if (::fsync(file_.get()) != 0) fail();
    return file_.reset();
  }
  while (!bytes.empty()) {
    const auto count = ::pwrite(file_.get(), bytes.data(), bytes.size(), at);
    if (count < 0) fail();
    at += count;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void BaseFolder::fail() const {
  throw fs::filesystem_error("the copy of the store cannot be written", path_,
                             std::error_code(errno, std::generic_category()));
}

void sync_folder(const fs::path& folder) {
  const files::Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened || ::fsync(opened.get()) != 0)
    throw fs::filesystem_error("cannot be made durable", folder, std::error_code(errno, std::generic_category()));
}

}  // namespace standby
