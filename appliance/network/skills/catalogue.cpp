#include "appliance/network/skills/catalogue.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <system_error>

#include "appliance/files/root.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/network/skills/builtin_skills.h"
#include "web/log.h"

namespace skills {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_skills = 200;
constexpr std::string_view temporary_prefix = ".new-";

[[noreturn]] void fail(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

void write_file(const fs::path& path, std::string_view content) {
  const files::Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file || !files::write_all(file, content) || ::fsync(file.get()) != 0) fail(path.string());
}

void sync_folder(const fs::path& path) {
  const files::Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder || ::fsync(folder.get()) != 0) fail(path.string());
}

void write_folder(const fs::path& folder, const std::vector<PackageFile>& files) {
  fs::create_directories(folder);
  for (const auto& file : files) {
    const auto path = folder / file.path;
    fs::create_directories(path.parent_path());
    write_file(path, file.content);
  }
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_directory()) sync_folder(entry.path());
  sync_folder(folder);
}

// `to` need not exist; if it does, the two change places.
void exchange(const fs::path& from, const fs::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return;
  if (errno != EEXIST || ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) != 0)
    fail(to.string());
}

web::Result<std::vector<PackageFile>> read_folder(const fs::path& folder) {
  const auto root = files::Root::open(folder);
  if (!root) return root.error();
  std::vector<PackageFile> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_directory()) continue;
    const auto path = fs::relative(entry.path(), folder).string();
    if (files.size() == max_files || entry.is_symlink() || !entry.is_regular_file() ||
        entry.file_size() > max_file_bytes)
      return web::invalid(path + ": not a regular file, too large, or over the file limit");
    std::ifstream in(entry.path(), std::ios::binary);
    files.push_back({.path = path, .content = {std::istreambuf_iterator<char>(in), {}}});
  }
  return files;
}

void load_builtin(const std::function<void(Skill)>& keep) {
  std::map<std::string_view, std::vector<PackageFile>> by_skill;
  for (const auto& file : builtin_files())
    by_skill[file.skill].push_back({.path = std::string(file.path), .content = std::string(file.content)});
  for (auto& [name, files] : by_skill) {
    auto skill = read_package(std::move(files), Source::box);
    if (!skill) throw std::logic_error("the box's skill " + std::string(name) + ": " + skill.error().message);
    keep(std::move(*skill));
  }
}

web::Error is_of_the_box(const std::string& name) {
  return web::conflict("The skill " + name + " is the box's own and cannot be changed: choose another name");
}

}  // namespace

Catalogue::Catalogue(fs::path folder) : folder_(std::move(folder)) {
  load_builtin([this](Skill skill) { keep(std::move(skill)); });
  load();
}

void Catalogue::keep(Skill skill) {
  const std::lock_guard lock(mutex_);
  auto name = skill.name;
  skills_[std::move(name)] = std::make_shared<const Skill>(std::move(skill));
}

void Catalogue::load() {
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(folder_, absent)) {
    const auto name = entry.path().filename().string();
    if (name.starts_with(temporary_prefix)) {  // an upload that was cut off
      std::error_code ignored;
      fs::remove_all(entry.path(), ignored);
      continue;
    }
    std::string reason;
    try {
      auto files = read_folder(entry.path());
      auto skill = files ? read_package(std::move(*files), Source::admin) : web::Result<Skill>(files.error());
      if (!skill)
        reason = skill.error().message;
      else if (skill->name != name)
        reason = "its SKILL.md has another name than its folder";
      else if (find(name))
        reason = "the box has a skill of this name";
      else
        keep(std::move(*skill));
    } catch (const std::exception& error) {
      reason = error.what();
    }
    if (!reason.empty()) web::log::warning("skill_not_loaded", {{"skill", name}, {"reason", reason}});
  }
}

SkillPtr Catalogue::find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto found = skills_.find(name);
  return found == skills_.end() ? nullptr : found->second;
}

std::vector<SkillPtr> Catalogue::list() const {
  const std::lock_guard lock(mutex_);
  std::vector<SkillPtr> list;
  for (const auto& [name, skill] : skills_) list.push_back(skill);
  return list;
}

web::Result<Catalogue::Put> Catalogue::put(Skill skill) {
  const std::lock_guard lock(writing_);
  const auto before = find(skill.name);
  if (before && before->source == Source::box) return is_of_the_box(skill.name);
  if (!before && list().size() >= max_skills)
    return web::Error{.kind = web::Kind::too_many,
                      .message = "The box has " + std::to_string(max_skills) + " skills: remove one first."};
  const auto name = skill.name;
  const auto temporary = folder_ / (std::string(temporary_prefix) + crypto::random_id(16));
  write_folder(temporary, skill.files);
  exchange(temporary, folder_ / name);
  sync_folder(folder_);
  fs::remove_all(temporary);  // the version before, if there was one
  keep(std::move(skill));
  return Put{.skill = find(name), .is_new = !before};
}

web::Result<void> Catalogue::remove(const std::string& name) {
  const std::lock_guard lock(writing_);
  const auto before = find(name);
  if (!before) return web::not_found("No such skill");
  if (before->source == Source::box) return is_of_the_box(name);
  const auto temporary = folder_ / (std::string(temporary_prefix) + crypto::random_id(16));
  fs::rename(folder_ / name, temporary);
  sync_folder(folder_);
  fs::remove_all(temporary);
  const std::lock_guard map_lock(mutex_);
  skills_.erase(name);
  return {};
}

}  // namespace skills
