// Watches a folder and all folders under it with inotify(7).
#pragma once

#include <boost/describe.hpp>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "appliance/files/explorer/known_names.h"
#include "appliance/files/explorer/place.h"
#include "appliance/files/root.h"
#include "web/result.h"

namespace explorer {

enum class ChangeKind { created, changed, deleted, moved };
BOOST_DESCRIBE_ENUM(ChangeKind, created, changed, deleted, moved)

struct FileChange {
  // Also `changed` when a file moved in from outside replaces another, as editors save, and when it is unknown whether
  // the name existed before, in folders beyond Limits::names.
  ChangeKind kind = ChangeKind::changed;
  std::string path, from;  // relative to the place; `from` for moves
  bool is_folder = false;
};

struct Changes {
  std::vector<FileChange> list;  // in order; immediate repetitions are merged
  bool is_lossy = false;         // changes were lost: read the folder again
  bool is_gone = false;          // the folder itself was deleted or moved; no more changes follow
};

// Not thread-safe. Names that are not shown (names.h) are not reported, nor anything below them.
class Watch {
 public:
  struct Limits {
    std::size_t folders = 8'192;   // watched at most; the kernel's own limit may be lower
    std::size_t names = 50'000;    // remembered, at about 40 bytes each
    std::size_t changes = 10'000;  // per take()
  };
  // Watches the folder `path`. Blocks. Kind::unavailable when the kernel's limit of watches is reached.
  static web::Result<Watch> open(const Place&, std::string_view path, Limits);

  // Readable while there are changes to take. Owned by this object.
  int descriptor() const { return events_.get(); }
  // The changes since the last call. Reads new folders, so it touches the file system. Does not wait.
  Changes take();

  std::size_t folders() const { return folders_.size(); }
  // True if some folder is not watched because of a limit.
  bool is_partial() const { return is_partial_; }

 private:
  class EventReader;
  Watch(files::Root root, files::Descriptor events, Limits limits)
      : root_(std::move(root)), events_(std::move(events)), limits_(limits), names_(limits.names) {}

  std::string path_in(int watch, std::string_view name) const;
  // Empty when it is no longer a folder or cannot be opened.
  files::Descriptor open_folder(const std::string& path) const;
  // Watches the folder and everything under it; existing entries are reported as created if `reported` is given.
  void add(const files::Descriptor& folder, const std::string& path, Changes* reported, std::size_t depth);
  void forget(const std::string& path);
  void rename(const std::string& from, const std::string& to);
  void report(Changes&, FileChange) const;

  files::Root root_;
  files::Descriptor events_;
  Limits limits_;
  std::string top_;
  int top_watch_ = -1;
  // By watch descriptor.
  std::unordered_map<int, std::string> folders_;  // the path without a slash
  KnownNames names_;
  bool is_partial_ = false;
};

}  // namespace explorer
