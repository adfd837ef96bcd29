#include "appliance/network/skills/workspace_copy.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "appliance/agent/workspace_path.h"
#include "appliance/files/root.h"
#include "appliance/foundation/crypto/random.h"

namespace skills {

namespace {

using files::Components;

// skills/NAME/path in its folder and its last name.
struct Place {
  Components folder;
  std::string name;
};

web::Result<Place> place_of(const std::string& skill, const std::string& path) {
  auto components =
      agent_process::path_components(std::string(agent_process::skills_folder) + "/" + skill + "/" + path);
  if (!components) return components.error();
  auto name = std::move(components->back());
  components->pop_back();
  return Place{.folder = std::move(*components), .name = std::move(name)};
}

// SKILL.md at the given end of the order.
bool is_skill_file(const std::string& path) { return path == agent_process::skill_file_name; }

// Nothing for what is no plain file of a skill's size.
std::optional<std::string> read_plain_file(const files::Descriptor& file) {
  struct stat info {};
  if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) || std::size_t(info.st_size) > max_file_bytes)
    return std::nullopt;
  std::string content(std::size_t(info.st_size), '\0');
  std::size_t size = 0;
  while (size < content.size()) {
    const auto read = ::pread(file.get(), content.data() + size, content.size() - size, off_t(size));
    if (read <= 0) break;
    size += std::size_t(read);
  }
  content.resize(size);
  return content;
}

// The folders of a file within the skill, the deepest first, as long as they are empty.
void remove_empty_folders(const files::Root& root, Components folder) {
  while (folder.size() >= 2) {  // skills/ itself stays
    const auto name = std::move(folder.back());
    folder.pop_back();
    const auto parent = root.open(folder, O_RDONLY | O_DIRECTORY);
    if (!parent || ::unlinkat(parent->get(), name.c_str(), AT_REMOVEDIR) != 0) return;
  }
}

web::Result<void> remove_file(const files::Root& root, const Place& place) {
  const auto folder = root.open(place.folder, O_RDONLY | O_DIRECTORY);
  if (!folder) return folder.error().kind == web::Kind::not_found ? web::Result<void>() : folder.error();
  if (::unlinkat(folder->get(), place.name.c_str(), 0) != 0 && errno != ENOENT) return files::error_of(errno);
  remove_empty_folders(root, place.folder);
  return {};
}

}  // namespace

FileContents read_copy(const std::filesystem::path& workspace, const std::string& skill,
                       const std::vector<std::string>& paths) {
  FileContents contents;
  std::error_code failed;
  if (!std::filesystem::exists(workspace, failed)) return contents;
  const auto root = files::Root::open(workspace);
  if (!root) return contents;
  for (const auto& path : paths) {
    auto place = place_of(skill, path);
    if (!place) continue;
    place->folder.push_back(place->name);
    const auto file = root->open(place->folder, O_RDONLY | O_NONBLOCK);
    if (!file) continue;
    if (auto content = read_plain_file(*file)) contents[path] = std::move(*content);
  }
  return contents;
}

web::Result<void> write_copy(const std::filesystem::path& workspace, const Skill& skill,
                             const std::vector<std::string>& before) {
  std::error_code failed;
  std::filesystem::create_directories(workspace, failed);
  if (failed) return web::internal("The agent's workspace cannot be made: " + failed.message());
  const auto root = files::Root::open(workspace);
  if (!root) return root.error();
  const auto state = root->open_or_make({std::string(agent_process::state_folder)});
  if (!state) return state.error();
  auto order = skill.files;
  std::stable_partition(order.begin(), order.end(), [](const auto& file) { return !is_skill_file(file.path); });
  for (const auto& file : order) {
    const auto place = place_of(skill.name, file.path);
    if (!place) return place.error();
    const auto folder = root->open_or_make(place->folder);
    if (!folder) return folder.error();
    const auto written = files::replace(*folder, place->name, file.content,
                                        {.folder = *state, .name = "write-" + crypto::random_id(16)});
    if (!written) return written.error();
  }
  for (const auto& path : before) {
    if (std::ranges::count(skill.files, path, &PackageFile::path) > 0) continue;
    const auto place = place_of(skill.name, path);
    if (!place) return place.error();
    if (auto removed = remove_file(*root, *place); !removed) return removed;
  }
  return {};
}

web::Result<void> remove_copy(const std::filesystem::path& workspace, const std::string& skill,
                              const std::vector<std::string>& paths) {
  std::error_code failed;
  if (!std::filesystem::exists(workspace, failed)) return {};
  const auto root = files::Root::open(workspace);
  if (!root) return root.error();
  auto order = paths;
  std::stable_partition(order.begin(), order.end(), is_skill_file);
  for (const auto& path : order) {
    const auto place = place_of(skill, path);
    if (!place) return place.error();
    if (auto removed = remove_file(*root, *place); !removed) return removed;
  }
  return {};
}

}  // namespace skills
