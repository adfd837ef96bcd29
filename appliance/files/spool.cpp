#include "appliance/files/spool.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "appliance/files/root.h"

namespace files {

web::Result<Spool> Spool::make(const std::filesystem::path& folder) {
  Descriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!file && (errno == EOPNOTSUPP || errno == EISDIR)) {  // not every file system has files without a name
    auto name = (folder / "spool-XXXXXX").string();
    file.reset(::mkostemp(name.data(), O_CLOEXEC));
    if (file && ::unlink(name.c_str()) != 0) return error_of(errno);
  }
  if (!file) return error_of(errno);
  return Spool(std::move(file));
}

web::Result<void> Spool::append(std::string_view bytes) {
  if (!write_all(file_, bytes)) return error_of(errno);
  size_ += bytes.size();
  return {};
}

}  // namespace files
