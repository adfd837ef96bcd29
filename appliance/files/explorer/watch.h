// What happens in a folder and all folders beneath it, by inotify(7).
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
  // `changed` too when a file took another's name by being moved there from where nobody looks, as editors save; and
  // when nobody knows whether the name was taken, in a folder beyond Caps::names.
  ChangeKind kind = ChangeKind::changed;
  std::string path, from;  // relative to the place; `from` for what was moved
  bool is_folder = false;
};

struct Changes {
  std::vector<FileChange> list;  // in the order in which they happened; the same twice in a row counts once
  bool is_lossy = false;         // more happened than was kept: look at everything again
  bool is_gone = false;          // the folder itself was deleted or moved: no more will come
};

// One thread at a time. Names that are not shown (names.h) are not told of, nor what happens below them.
class Watch {
 public:
  struct Caps {
    std::size_t folders = 8'192;   // beyond them nothing is watched; what the kernel grants may be less
    std::size_t names = 50'000;    // of files, remembered in some 40 bytes each
    std::size_t changes = 10'000;  // of one take()
  };
  // Watches the folder `path`. Blocks. Kind::unavailable when the kernel grants no more of them.
  static web::Result<Watch> open(const Place&, std::string_view path, Caps);

  // Readable while there is something to take. Owned by this.
  int descriptor() const { return events_.get(); }
  // What has happened since the last time; looks into new folders, and so reads the file system. Does not wait.
  Changes take();

  std::size_t folders() const { return folders_.size(); }
  // Some folder is not watched, for one of the caps.
  bool is_partial() const { return is_partial_; }

 private:
  class Taking;
  Watch(files::Root root, files::Descriptor events, Caps caps)
      : root_(std::move(root)), events_(std::move(events)), caps_(caps), names_(caps.names) {}

  std::string path_in(int watch, std::string_view name) const;
  // Nothing: it is no folder any more, or not to be had.
  files::Descriptor open_folder(const std::string& path) const;
  // Watches the folder and what is beneath it; what is there is told as created.
  void add(const files::Descriptor& folder, const std::string& path, Changes* told, std::size_t depth);
  void forget(const std::string& path);
  void rename(const std::string& from, const std::string& to);
  void tell(Changes&, FileChange) const;

  files::Root root_;
  files::Descriptor events_;
  Caps caps_;
  std::string top_;
  int top_watch_ = -1;
  // By the kernel's number of the watch.
  std::unordered_map<int, std::string> folders_;  // the path without a slash
  KnownNames names_;
  bool is_partial_ = false;
};

}  // namespace explorer
