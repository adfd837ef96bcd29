#include "appliance/box/standby/folders.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "appliance/box/packing/entry.h"

namespace standby {

namespace {

namespace fs = std::filesystem;
using files::Descriptor;

constexpr int deepest = 200;  // nested folders; each takes a descriptor
constexpr std::int64_t nanoseconds = 1'000'000'000;
constexpr auto draft_name = ".agentbox-receiving";

// Of the data folder; of agents/ only what is kept of an agent's files.
constexpr std::array followed{"agents", "skills", "tls", "agentbox.toml", "catalogue.json", "store.schema"};

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

files::Root root_of(const fs::path& folder) {
  auto root = files::Root::open(folder);
  if (!root) throw std::runtime_error(folder.string() + " cannot be opened: " + root.error().message);
  return std::move(*root);
}

files::Components components_of(const std::string& path) {
  if (!packing::is_plain_path(path)) throw std::runtime_error("a path is not plain");
  files::Components components;
  for (const auto part : packing::parts_of(path)) components.emplace_back(part);
  return components;
}

// Whether agents/<id>/<name> belongs to the tree.
bool is_followed(const std::string& path) {
  const auto parts = packing::parts_of(path);
  return parts.front() != "agents" || parts.size() != 3 || agentbox::is_kept_of_agents(parts[2]);
}

class Lister {
 public:
  explicit Lister(Tree& tree) : tree_(tree) {}

  void add(const Descriptor& folder, const std::string& name, const std::string& path, int depth) {
    struct stat info {};
    if (!is_followed(path) || ::fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return;
    TreeEntry entry{.mode = info.st_mode & 0777u, .target = {}};
    if (S_ISLNK(info.st_mode)) {
      std::array<char, 4'096> target{};
      const auto size = ::readlinkat(folder.get(), name.c_str(), target.data(), target.size());
      if (size < 0) return;
      entry.kind = Kind::link;
      entry.target.assign(target.data(), static_cast<std::size_t>(size));
      tree_.emplace(path, std::move(entry));
    } else if (S_ISREG(info.st_mode)) {
      entry.size = info.st_size;
      entry.modified = info.st_mtim.tv_sec * nanoseconds + info.st_mtim.tv_nsec;
      if (name != draft_name) tree_.emplace(path, std::move(entry));
    } else if (S_ISDIR(info.st_mode) && depth < deepest) {
      const Descriptor opened(::openat(folder.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (!opened) return;
      entry.kind = Kind::folder;
      entry.mode |= 0700u;
      tree_.emplace(path, std::move(entry));
      for (const auto& below : files::names_in(opened)) add(opened, below, path + "/" + below, depth + 1);
    }
  }

 private:
  Tree& tree_;
};

}  // namespace

Tree list_tree(const agentbox::DataFolder& folder) {
  Tree tree;
  const Descriptor top(::open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!top) return tree;
  Lister lister(tree);
  for (const auto* name : followed) lister.add(top, name, name, 0);
  return tree;
}

std::string encode(const std::string& path, const TreeEntry& entry) {
  return number(static_cast<std::uint64_t>(entry.kind)) + number(entry.mode) +
         number(static_cast<std::uint64_t>(entry.size)) + number(static_cast<std::uint64_t>(entry.modified)) +
         number(path.size()) + path + entry.target;
}

std::pair<std::string, TreeEntry> decode_entry(std::string_view content) {
  constexpr std::size_t head = 40;
  const auto kind = read_number(content, 0), length = read_number(content, 32);
  if (kind > static_cast<std::uint64_t>(Kind::problem) || length > content.size() - head)
    throw std::runtime_error("an entry of a folder is damaged");
  TreeEntry entry{.kind = static_cast<Kind>(kind),
                  .mode = static_cast<std::uint32_t>(read_number(content, 8)) & 0777u,
                  .size = static_cast<std::int64_t>(read_number(content, 16)),
                  .modified = static_cast<std::int64_t>(read_number(content, 24)),
                  .target = std::string(content.substr(head + length))};
  return {std::string(content.substr(head, length)), std::move(entry)};
}

TreeSender::TreeSender(const agentbox::DataFolder& folder, const Tree& known, Tree wanted)
    : folder_(folder.path()), wanted_(std::move(wanted)) {
  for (const auto& [path, entry] : known) {
    const auto now = wanted_.find(path);
    const bool stays = now != wanted_.end() && now->second.kind == entry.kind;
    const bool is_in_removed = !removed_.empty() && path.starts_with(removed_.back() + "/");
    if (!stays && !is_in_removed) removed_.push_back(path);
  }
  for (const auto& [path, entry] : wanted_) {
    const auto before = known.find(path);
    if (before == known.end() || !(before->second == entry)) changed_.push_back(path);
  }
}

std::optional<Frame> TreeSender::next() {
  if (file_) return next_piece();
  if (!removed_.empty()) {
    Frame frame{Kind::removed, encode(removed_.front(), {})};
    removed_.pop_front();
    return frame;
  }
  while (!changed_.empty()) {
    const auto path = std::move(changed_.front());
    changed_.pop_front();
    const auto& entry = wanted_.at(path);
    if (entry.kind != Kind::file) return Frame{entry.kind, encode(path, entry)};
    // Through no link: the folder may be another one by now.
    auto opened = root_of(folder_).open(components_of(path), O_RDONLY | O_NONBLOCK);
    struct stat info {};
    if (!opened || ::fstat(opened->get(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    file_ = std::move(*opened);
    at_ = 0;
    size_ = entry.size;
    return Frame{Kind::file, encode(path, entry)};
  }
  if (has_ended_) return std::nullopt;
  has_ended_ = true;
  return Frame{Kind::tree_end, {}};
}

// The next bytes that are no hole, or at the end of the file an empty piece.
Frame TreeSender::next_piece() {
  const auto data = ::lseek(file_.get(), at_, SEEK_DATA);
  if (data >= 0) at_ = data;
  std::string bytes;
  if ((data >= 0 || errno != ENXIO) && at_ < size_) {
    bytes.resize(static_cast<std::size_t>(std::min<std::int64_t>(piece_size, size_ - at_)));
    const auto count = ::pread(file_.get(), bytes.data(), bytes.size(), at_);
    bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  }
  Frame frame{Kind::piece, number(static_cast<std::uint64_t>(at_)) + bytes};
  at_ += static_cast<std::int64_t>(bytes.size());
  if (bytes.empty()) file_.reset();
  return frame;
}

TreeReceiver::TreeReceiver(const agentbox::DataFolder& folder) : path_(folder.path()), root_(root_of(path_)) {}

TreeReceiver::~TreeReceiver() { drop_draft(); }

void TreeReceiver::drop_draft() {
  if (draft_ && open_place_) ::unlinkat(open_place_->folder.get(), draft_name, 0);
  draft_.reset();
  open_place_.reset();
}

TreeReceiver::Place TreeReceiver::place_of(const std::string& path) const {
  auto components = components_of(path);
  if (std::ranges::find(followed, components.front()) == followed.end())
    throw std::runtime_error("a path is not one that a standby follows");
  auto name = std::move(components.back());
  components.pop_back();
  auto folder = root_.open_or_make(components);
  if (!folder) throw std::runtime_error("the folder of " + path + " cannot be opened: " + folder.error().message);
  return {std::move(*folder), std::move(name)};
}

void TreeReceiver::remove(const Place& place) {
  fs::remove_all("/proc/self/fd/" + std::to_string(place.folder.get()) + "/" + place.name);
}

void TreeReceiver::apply(const Frame& frame) {
  if (frame.kind == Kind::piece) return write_piece(frame.content);
  if (frame.kind == Kind::tree_end) return;
  const auto [path, entry] = decode_entry(frame.content);
  auto place = place_of(path);
  switch (frame.kind) {
    case Kind::removed:
      return remove(place);
    case Kind::folder: {
      if (::mkdirat(place.folder.get(), place.name.c_str(), 0700) != 0 && errno != EEXIST) fail("cannot make " + path);
      const Descriptor made(
          ::openat(place.folder.get(), place.name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (!made || ::fchmod(made.get(), entry.mode | 0700u) != 0) fail("cannot make " + path);
      return;
    }
    case Kind::link:
      remove(place);
      if (::symlinkat(entry.target.c_str(), place.folder.get(), place.name.c_str()) != 0) fail("cannot make " + path);
      return;
    case Kind::file:
      drop_draft();
      ::unlinkat(place.folder.get(), draft_name, 0);
      draft_ = Descriptor(
          ::openat(place.folder.get(), draft_name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
      if (!draft_) fail("cannot write " + path);
      open_place_ = std::move(place);
      open_entry_ = entry;
      return;
    default:
      throw std::runtime_error("an unexpected frame");
  }
}

void TreeReceiver::write_piece(std::string_view content) {
  if (!draft_) throw std::runtime_error("a piece of no file");
  auto at = static_cast<off_t>(read_number(content));
  auto bytes = content.substr(8);
  const bool is_end = bytes.empty();
  while (!bytes.empty()) {
    const auto count = ::pwrite(draft_.get(), bytes.data(), bytes.size(), at);
    if (count < 0) fail("cannot write a file");
    at += count;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  if (!is_end) return;
  const timespec modified{.tv_sec = open_entry_.modified / nanoseconds, .tv_nsec = open_entry_.modified % nanoseconds};
  const std::array<timespec, 2> times{modified, modified};
  const auto& [folder, name] = *open_place_;
  if (::ftruncate(draft_.get(), open_entry_.size) != 0 || ::fchmod(draft_.get(), open_entry_.mode) != 0 ||
      ::futimens(draft_.get(), times.data()) != 0 || ::fdatasync(draft_.get()) != 0 ||
      ::renameat(folder.get(), draft_name, folder.get(), name.c_str()) != 0)
    fail("cannot write " + name);
  draft_.reset();
  open_place_.reset();
}

}  // namespace standby
