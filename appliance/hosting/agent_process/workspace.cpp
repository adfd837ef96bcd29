#include "appliance/hosting/agent_process/workspace.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <utility>

#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/agent_process/skills/skill_file.h"
#include "appliance/hosting/agent_process/workspace_path.h"
#include "web/utf8.h"

namespace agent_process {

namespace {

constexpr std::string_view temporary_prefix = "write-";
constexpr std::size_t most_listed_levels = 8;

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
    if (listing.entries.size() == Workspace::most_entries) {
      listing.truncated = true;
      return;
    }
    const auto path = prefix + name + (is_folder ? "/" : "");
    listing.entries.push_back({.path = path, .size = is_folder ? 0 : static_cast<std::uint64_t>(info.st_size)});
    if (!is_folder) continue;
    if (level == most_listed_levels) {
      listing.truncated = true;
      continue;
    }
    const files::Descriptor below(files::open_beneath(folder, name.c_str(), O_RDONLY | O_DIRECTORY));
    if (below) list_into(below, path, level + 1, listing);
  }
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
  auto text = files::read_text(*file, most_file_bytes);
  if (!text) return text.error();
  return std::move(text->content);
}

web::Result<void> Workspace::write(std::string_view path, std::string_view content) const {
  auto components = path_components(path);
  if (!components) return components.error();
  if (components->empty()) return web::invalid("path must name a file");
  if (path.ends_with('/')) return files::error_of(EISDIR);
  if (content.size() > most_file_bytes) return web::invalid("content must be at most 1 MB");
  if (components->front() == skills_folder)
    return web::invalid("path must not be in skills/: your owner installs skills");
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
