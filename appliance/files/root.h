// Files under one folder only: every path is resolved by the kernel with openat2 under the root, through no
// symbolic link and no mount, even while others change the tree.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/files/path.h"
#include "appliance/foundation/descriptor.h"
#include "web/result.h"

namespace files {

// An errno value as an error whose message is written for the client that sent the path.
web::Error error_of(int code);

// Blocks; thread-safe.
class Root {
 public:
  // The folder itself may be reached through links. Kind::internal when it cannot be opened.
  static web::Result<Root> open(const std::filesystem::path&);

  // The folder itself for no components. `flags` are those of open(2); O_CLOEXEC and O_NOFOLLOW are added.
  web::Result<Descriptor> open(const Components&, int flags) const;
  // The folder of these components; missing ones are created durably, each with the owner of its parent.
  web::Result<Descriptor> open_or_make(const Components&) const;

 private:
  explicit Root(Descriptor folder) : folder_(std::move(folder)) {}

  Descriptor folder_;
};

// Opens `name` within `folder` under the same rules; -1 and errno on failure.
int open_beneath(const Descriptor& folder, const char* name, int flags);

// The names in a folder without "." and "..", unordered.
std::vector<std::string> names_in(const Descriptor& folder);
// The same with the kind of each entry; links are not followed. Entries deleted meanwhile are omitted.
enum class EntryKind { file, folder, other };
struct FolderEntry {
  std::string name;
  EntryKind kind = EntryKind::other;
};
std::vector<FolderEntry> entries_in(const Descriptor& folder);

struct Text {
  std::string content;
  struct stat info {};
};
// The whole content of an open file: regular, at most `max_bytes` bytes, UTF-8. Kind::invalid when it is not.
web::Result<Text> read_text(const Descriptor& file, std::size_t max_bytes);

// Where a new version of a file is written before it is renamed: in the same file system.
struct Staging {
  const Descriptor& folder;
  std::string name;  // must not exist; removed afterwards, unless the process is killed
};
// A part of an open file.
struct Slice {
  const Descriptor& file;
  std::uint64_t offset = 0, size = 0;
};
// Gives the file `name` in `folder` this content, atomically and durably. An existing file keeps its mode and, if this
// process may change it, its owner; a new one belongs to the owner of the folder. Kind::invalid when
// `name` is a folder, a link or a device.
web::Result<void> replace(const Descriptor& folder, const std::string& name, std::string_view content, const Staging&);
web::Result<void> replace(const Descriptor& folder, const std::string& name, const Slice& content, const Staging&);

// Writes all bytes at the file's position; false and errno on failure.
bool write_all(const Descriptor& file, std::string_view bytes);

}  // namespace files
