#include "appliance/agent/workspace.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <utility>

#include "appliance/agent/skills/skill_file.h"
#include "appliance/agent/workspace_path.h"
#include "appliance/files/changes.h"
#include "appliance/files/explorer/pattern.h"
#include "appliance/foundation/crypto/random.h"
#include "web/utf8.h"

namespace agent_process {

namespace {

constexpr std::string_view temporary_prefix = "write-";
constexpr std::size_t max_listed_levels = 8, max_searched_levels = 32;
constexpr std::size_t max_searched_entries = 50'000;

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view reason) {
  throw std::runtime_error("the workspace " + path.string() + " cannot be used: " + std::string(reason));
}

files::Root made_root(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) fail(path, error.message());
  auto root = files::Root::open(path);
  if (!root) fail(path, root.error().message);
  return std::move(*root);
}

files::Descriptor made_state_folder(const std::filesystem::path& path, const files::Root& root) {
  auto folder = root.open_or_make({std::string(state_folder)});
  if (!folder) fail(path, folder.error().message);
  if (::fchmod(folder->get(), 0700) != 0) fail(path, files::error_of(errno).message);
  return std::move(*folder);
}

// 0 if there is none.
std::int64_t size_of(const files::Root& root, const files::Components& file) {
  struct stat info {};
  const auto there = root.open(file, O_PATH);
  return there && ::fstat(there->get(), &info) == 0 && S_ISREG(info.st_mode) ? info.st_size : 0;
}

std::vector<std::string> listed_names(const files::Descriptor& folder) {
  auto names = files::names_in(folder);
  std::erase_if(names, [](const auto& name) { return is_reserved(name) || !web::is_utf8(name); });
  std::sort(names.begin(), names.end());
  return names;
}

void list_into(const files::Descriptor& folder, const std::string& prefix, std::size_t level,
               Workspace::Listing& listing) {
  for (const auto& name : listed_names(folder)) {
    struct stat info {};
    if (::fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    const bool is_folder = S_ISDIR(info.st_mode);
    if (!is_folder && !S_ISREG(info.st_mode)) continue;
    if (listing.entries.size() == Workspace::max_entries) {
      listing.truncated = true;
      return;
    }
    const auto path = prefix + name + (is_folder ? "/" : "");
    listing.entries.push_back({.path = path, .size = is_folder ? 0 : static_cast<std::uint64_t>(info.st_size)});
    if (!is_folder) continue;
    if (level == max_listed_levels) {
      listing.truncated = true;
      continue;
    }
    const files::Descriptor below(files::open_beneath(folder, name.c_str(), O_RDONLY | O_DIRECTORY));
    if (below) list_into(below, path, level + 1, listing);
  }
}

// Counts every entry in `searched`, and stops at max_searched_entries.
void find_into(const files::Descriptor& folder, const std::string& prefix, std::size_t level,
               const explorer::Pattern& pattern, std::size_t& searched, Workspace::Listing& listing) {
  for (const auto& name : listed_names(folder)) {
    if (listing.truncated) return;
    struct stat info {};
    if (::fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    const auto path = prefix + name;
    if (S_ISREG(info.st_mode) && pattern.find(path, 0))
      listing.entries.push_back({.path = path, .size = static_cast<std::uint64_t>(info.st_size)});
    listing.truncated = ++searched == max_searched_entries || listing.entries.size() == Workspace::max_entries;
    if (!S_ISDIR(info.st_mode) || level == max_searched_levels) continue;
    const files::Descriptor below(files::open_beneath(folder, name.c_str(), O_RDONLY | O_DIRECTORY));
    if (below) find_into(below, path + "/", level + 1, pattern, searched, listing);
  }
}

void changed_into(const files::Descriptor& folder, const std::string& prefix, std::size_t level, store::Time since,
                  std::size_t& searched, std::vector<std::string>& found) {
  constexpr std::size_t max_changed = 100;
  auto names = files::names_in(folder);
  std::sort(names.begin(), names.end());
  for (const auto& name : names) {
    struct stat info {};
    if (searched == max_searched_entries || found.size() == max_changed) return;
    if (is_reserved(name) || ::fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    ++searched;
    const auto changed = std::chrono::seconds(info.st_ctim.tv_sec) + std::chrono::nanoseconds(info.st_ctim.tv_nsec);
    if (S_ISREG(info.st_mode) && changed >= since.time_since_epoch()) found.push_back(prefix + name);
    if (!S_ISDIR(info.st_mode) || level == max_searched_levels) continue;
    const files::Descriptor below(files::open_beneath(folder, name.c_str(), O_RDONLY | O_DIRECTORY));
    if (below) changed_into(below, prefix + name + "/", level + 1, since, searched, found);
  }
}

// A path that may be changed.
web::Result<files::Components> changeable(std::string_view path) {
  auto components = path_components(path);
  if (!components) return components;
  if (components->empty()) return web::invalid("path must name a file");
  if (components->front() == skills_folder)
    return web::invalid("path must not be in skills/: your owner installs skills");
  if (components->size() == 1 && files::folded(components->front()) == "agent.md")
    return web::invalid("path must not be AGENT.md: it holds your owner's instructions");
  return components;
}

}  // namespace

Workspace::Workspace(std::filesystem::path root, StorageLimit limit)
    : path_(std::move(root)), limit_(limit), root_(made_root(path_)), state_(made_state_folder(path_, root_)) {
  for (const auto& name : files::names_in(state_)) {
    if (name.starts_with(temporary_prefix)) ::unlinkat(state_.get(), name.c_str(), 0);
  }
}

std::filesystem::path Workspace::state(std::string_view name) const { return path_ / state_folder / name; }

bool Workspace::is_writable() const { return ::faccessat(state_.get(), ".", W_OK | X_OK, AT_EACCESS) == 0; }

web::Result<std::string> Workspace::read(std::string_view path) const {
  const auto components = path_components(path);
  if (!components) return components.error();
  // O_NONBLOCK: opening a pipe must not block.
  const auto file = root_.open(*components, O_RDONLY | O_NONBLOCK);
  if (!file) return file.error();
  auto text = files::read_text(*file, max_file_bytes);
  if (!text) return text.error();
  return std::move(text->content);
}

web::Result<std::string> Workspace::read_bytes(std::string_view path, std::size_t max_bytes) const {
  const auto components = path_components(path);
  if (!components) return components.error();
  const auto file = root_.open(*components, O_RDONLY | O_NONBLOCK);
  if (!file) return file.error();
  struct stat info {};
  if (::fstat(file->get(), &info) != 0 || !S_ISREG(info.st_mode)) return web::invalid("path is not a regular file");
  if (std::uint64_t(info.st_size) > max_bytes) return web::invalid("the file is too large");
  std::string bytes(std::size_t(info.st_size), '\0');
  std::size_t size = 0;
  while (size < bytes.size()) {
    const auto got = ::pread(file->get(), bytes.data() + size, bytes.size() - size, off_t(size));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    size += std::size_t(got);
  }
  bytes.resize(size);
  return bytes;
}

web::Result<void> Workspace::write(std::string_view path, std::string_view content) const {
  auto components = changeable(path);
  if (!components) return components.error();
  if (path.ends_with('/')) return files::error_of(EISDIR);
  if (content.size() > max_file_bytes) return web::invalid("content must be at most 1 MB");
  const auto before = size_of(root_, *components), size = static_cast<std::int64_t>(content.size());
  if (auto admitted = limit_.admit(root_, path_, before, size); !admitted) return admitted;
  const auto name = std::move(components->back());
  components->pop_back();
  const auto folder = root_.open_or_make(*components);
  if (!folder) return folder.error();
  return files::replace(*folder, name, content,
                        {.folder = state_, .name = std::string(temporary_prefix) + crypto::random_id(16)});
}

web::Result<Workspace::Listing> Workspace::list(std::string_view path) const {
  const auto components = path_components(path);
  if (!components) return components.error();
  const auto folder = root_.open(*components, O_RDONLY | O_DIRECTORY);
  if (!folder) return folder.error();
  Listing listing;
  list_into(*folder, components->empty() ? "" : files::join(*components) + "/", 1, listing);
  return listing;
}

web::Result<Workspace::Listing> Workspace::find(std::string_view path, const explorer::Pattern& pattern) const {
  const auto components = path_components(path);
  if (!components) return components.error();
  const auto folder = root_.open(*components, O_RDONLY | O_DIRECTORY);
  if (!folder) return folder.error();
  Listing listing;
  std::size_t searched = 0;
  find_into(*folder, components->empty() ? "" : files::join(*components) + "/", components->size(), pattern, searched,
            listing);
  return listing;
}

std::vector<std::string> Workspace::changed_since(store::Time since) const {
  constexpr std::chrono::milliseconds granularity{10};  // of the times of files
  std::vector<std::string> found;
  const auto top = root_.open({}, O_RDONLY | O_DIRECTORY);
  std::size_t searched = 0;
  if (top) changed_into(*top, "", 1, since - granularity, searched, found);
  return found;
}

bool Workspace::exists(std::string_view path) const {
  const auto components = path_components(path);
  return components && root_.open(*components, O_PATH);
}

web::Result<void> Workspace::move(std::string_view from, std::string_view to) const {
  const auto source = changeable(from);
  if (!source) return files::named_after("from", source.error());
  const auto target = changeable(to);
  if (!target) return files::named_after("to", target.error());
  return files::move(root_, *source, *target, files::Overwrite::no);
}

web::Result<void> Workspace::remove(std::string_view path) const {
  const auto components = changeable(path);
  if (!components) return components.error();
  return files::remove(root_, *components);
}

explorer::Place Workspace::place() const { return {.folder = path_, .is_workspace = true, .hides = is_reserved}; }

std::vector<std::string> Workspace::folders(std::string_view path) const {
  std::vector<std::string> names;
  const auto components = path_components(path);
  if (!components) return names;
  const auto folder = root_.open(*components, O_RDONLY | O_DIRECTORY);
  if (!folder) return names;
  for (auto& entry : files::entries_in(*folder))
    if (entry.kind == files::EntryKind::folder) names.push_back(std::move(entry.name));
  std::ranges::sort(names);
  return names;
}

}  // namespace agent_process
