#include "appliance/files/explorer/watch.h"

#include <fcntl.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "appliance/files/explorer/names.h"

namespace explorer {

namespace {

constexpr std::uint32_t watched_events = IN_CREATE | IN_MODIFY | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
                                         IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_EXCL_UNLINK;
constexpr std::size_t max_watch_depth = 32, buffer_bytes = 64 * 1024;

std::string below(const std::string& folder, std::string_view name) {
  return folder.empty() ? std::string(name) : folder + "/" + std::string(name);
}

bool is_in(std::string_view path, std::string_view folder) {
  return path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
}

}  // namespace

// Converts the events of one take() to changes and joins the two halves of a move.
class Watch::EventReader {
 public:
  explicit EventReader(Watch& watch) : watch_(watch) {}
  ~EventReader() {
    // Moves out of the watched folders.
    for (const auto& [cookie, half] : leaving_) {
      if (half.is_folder) watch_.forget(half.path);
    }
  }

  void add(const inotify_event& event) {
    if (event.mask & IN_Q_OVERFLOW) {
      changes.is_lossy = true;
      return;
    }
    if (event.mask & IN_IGNORED) {
      watch_.folders_.erase(event.wd);
      watch_.names_.forget(event.wd);
      return;
    }
    if (event.mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT)) {
      changes.is_gone = changes.is_gone || event.wd == watch_.top_watch_;
      return;
    }
    if (event.len == 0 || !watch_.folders_.contains(event.wd)) return;
    const std::string_view name = event.name;  // padded with NUL by the kernel
    if (!is_shown(name)) return;
    add(event, name, watch_.path_in(event.wd, name));
    if (event.mask & (IN_DELETE | IN_MOVED_FROM)) {
      watch_.names_.remove(event.wd, name);
    } else {
      watch_.names_.add(event.wd, name);
    }
  }

  Changes changes;

 private:
  void add(const inotify_event& event, std::string_view name, std::string path) {
    const bool is_folder = event.mask & IN_ISDIR;
    if (event.mask & IN_MOVED_FROM) {
      leaving_[event.cookie] = {.path = path, .is_folder = is_folder, .at = changes.list.size()};
      report(ChangeKind::deleted, std::move(path), is_folder);
    } else if (event.mask & IN_MOVED_TO) {
      const bool is_new = is_folder || watch_.names_.lacks(event.wd, name);
      arrive(event.cookie, std::move(path), is_folder, is_new);
    } else if (event.mask & IN_CREATE) {
      report(ChangeKind::created, path, is_folder);
      if (is_folder) watch_folder(path, &changes);
    } else {
      report(event.mask & IN_DELETE ? ChangeKind::deleted : ChangeKind::changed, std::move(path), is_folder);
    }
  }

  void arrive(std::uint32_t cookie, std::string path, bool is_folder, bool is_new) {
    const auto half = leaving_.find(cookie);
    if (half == leaving_.end()) {
      report(is_new ? ChangeKind::created : ChangeKind::changed, path, is_folder);
      if (is_folder) watch_folder(path, &changes);
      return;
    }
    const auto [from, was_folder, at] = std::move(half->second);
    leaving_.erase(half);
    if (at < changes.list.size()) {
      changes.list[at] = {.kind = ChangeKind::moved, .path = path, .from = from, .is_folder = is_folder};
    }
    if (!is_folder) return;
    watch_.rename(from, path);
    watch_folder(path, nullptr);
  }

  void watch_folder(const std::string& path, Changes* reported) {
    if (const auto folder = watch_.open_folder(path)) watch_.add(folder, path, reported, 0);
  }

  void report(ChangeKind kind, std::string path, bool is_folder) {
    watch_.report(changes, {.kind = kind, .path = std::move(path), .from = {}, .is_folder = is_folder});
  }

  struct Half {
    std::string path;
    bool is_folder;
    std::size_t at;  // of its change in the list
  };
  Watch& watch_;
  std::map<std::uint32_t, Half> leaving_;
};

web::Result<Watch> Watch::open(const Place& place, std::string_view path, Limits limits) {
  const auto components = readable(place, path);
  if (!components) return components.error();
  auto root = files::Root::open(place.folder);
  if (!root) return root.error();
  const auto folder = root->open(*components, O_RDONLY | O_DIRECTORY);
  if (!folder) return folder.error();
  files::Descriptor events(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!events) return web::unavailable("This machine grants no more watches, please try again later.");
  Watch watch(std::move(*root), std::move(events), limits);
  watch.top_ = components->empty() ? "" : files::join(*components);
  watch.add(*folder, watch.top_, nullptr, 0);
  if (watch.folders_.empty()) return web::unavailable("This machine grants no more watches, please try again later.");
  watch.top_watch_ = watch.folders_.begin()->first;
  for (const auto& [number, seen] : watch.folders_) {
    if (seen == watch.top_) watch.top_watch_ = number;
  }
  return watch;
}

Changes Watch::take() {
  EventReader reader(*this);
  alignas(inotify_event) std::array<char, buffer_bytes> buffer;
  while (reader.changes.list.size() < limits_.changes) {
    const auto got = ::read(events_.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
      const auto& event = *reinterpret_cast<const inotify_event*>(buffer.data() + at);
      reader.add(event);
      at += sizeof event + event.len;
    }
  }
  if (reader.changes.is_lossy) {
    // Entries created while the kernel's queue was full were missed.
    names_.forget_all();
    if (const auto folder = open_folder(top_)) add(folder, top_, nullptr, 0);
  }
  return std::move(reader.changes);
}

std::string Watch::path_in(int watch, std::string_view name) const { return below(folders_.at(watch), name); }

files::Descriptor Watch::open_folder(const std::string& path) const {
  const auto components = files::components_of(path, is_unreadable);
  if (!components) return {};
  auto folder = root_.open(*components, O_RDONLY | O_DIRECTORY);
  return folder ? std::move(*folder) : files::Descriptor();
}

void Watch::add(const files::Descriptor& folder, const std::string& path, Changes* reported, std::size_t depth) {
  if (folders_.size() >= limits_.folders || depth >= max_watch_depth) {
    is_partial_ = true;
    return;
  }
  // By descriptor, so that exactly the folder opened under the root is watched, whatever its name refers to by now.
  const int number =
      ::inotify_add_watch(events_.get(), ("/proc/self/fd/" + std::to_string(folder.get())).c_str(), watched_events);
  if (number < 0) {
    is_partial_ = true;
    return;
  }
  folders_[number] = path;
  const bool is_new = names_.begin(number);
  for (const auto& name : files::names_in(folder)) {
    struct stat info {};
    if (!is_shown(name) || ::fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (is_new) names_.add(number, name);
    const bool is_folder = S_ISDIR(info.st_mode);
    // It may have been created before the watch, which then reports no event for it.
    if (reported)
      report(*reported, {.kind = ChangeKind::created, .path = below(path, name), .from = {}, .is_folder = is_folder});
    if (!is_folder) continue;
    const files::Descriptor inner(files::open_beneath(folder, name.c_str(), O_RDONLY | O_DIRECTORY));
    if (inner) add(inner, below(path, name), reported, depth + 1);
  }
}

void Watch::forget(const std::string& path) {
  for (auto at = folders_.begin(); at != folders_.end();) {
    if (!is_in(at->second, path)) {
      ++at;
      continue;
    }
    ::inotify_rm_watch(events_.get(), at->first);
    names_.forget(at->first);
    at = folders_.erase(at);
  }
}

void Watch::rename(const std::string& from, const std::string& to) {
  for (auto& [number, path] : folders_) {
    if (is_in(path, from)) path.replace(0, from.size(), to);
  }
}

void Watch::report(Changes& changes, FileChange change) const {
  if (changes.list.size() >= limits_.changes) {
    changes.is_lossy = true;
    return;
  }
  const bool is_new_change = changes.list.empty() || change.path != changes.list.back().path ||
                             (change.kind != changes.list.back().kind &&
                              !(change.kind == ChangeKind::changed && changes.list.back().kind == ChangeKind::created));
  if (is_new_change) changes.list.push_back(std::move(change));
}

}  // namespace explorer
