// Files beneath one folder only: every path is resolved by the kernel with openat2 beneath the root, through no
// symbolic link and no mount, whatever someone does to the tree meanwhile.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/files/descriptor.h"
#include "appliance/files/path.h"
#include "web/result.h"

namespace files {

// What the file system answered, as a sentence for whoever named the path.
web::Error error_of(int code);

// Blocks; callable from every thread.
class Root {
 public:
  // The folder itself may be reached through links. Kind::internal when it cannot be opened.
  static web::Result<Root> open(const std::filesystem::path&);

  // The folder itself for no components. `flags` are those of open(2); O_CLOEXEC and O_NOFOLLOW are added.
  web::Result<Descriptor> open(const Components&, int flags) const;
  // The folder of these components; missing ones are made durably, each belonging to whom the one above belongs.
  web::Result<Descriptor> open_or_make(const Components&) const;

 private:
  explicit Root(Descriptor folder) : folder_(std::move(folder)) {}

  Descriptor folder_;
};

// Opens `name` within `folder` under the same rules; -1 and errno when it fails.
int open_beneath(const Descriptor& folder, const char* name, int flags);

// What is in a folder, but for "." and ".."; in no order.
std::vector<std::string> names_in(const Descriptor& folder);
// The same with what each is, links not followed; what is gone meanwhile is left out.
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
// The whole of an open file: regular, at most `most_bytes` bytes, UTF-8. Kind::invalid when it is not.
web::Result<Text> read_text(const Descriptor& file, std::size_t most_bytes);

// Where a new version of a file is written before it takes its place: in the same file system.
struct Staging {
  const Descriptor& folder;
  std::string name;  // unused; gone again afterwards, unless the process is killed meanwhile
};
// Gives the file `name` in `folder` this content: whole or not at all, durably. A file that was there keeps its mode
// and, when this process may give it away, its owner; a new one belongs to the owner of the folder. Kind::invalid when
// `name` is a folder, a link or a device.
web::Result<void> replace(const Descriptor& folder, const std::string& name, std::string_view content, const Staging&);

}  // namespace files
