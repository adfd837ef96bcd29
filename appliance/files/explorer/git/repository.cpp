#include "appliance/files/explorer/git/repository.h"

#include <sys/fsuid.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>

#include "appliance/files/explorer/git/handles.h"
#include "appliance/files/explorer/git/library.h"

namespace git {

namespace {

namespace fs = std::filesystem;

// setfsuid with an id that is none changes nothing and tells the present one.
uid_t acting_user() { return static_cast<uid_t>(::setfsuid(static_cast<uid_t>(-1))); }

// In place of libgit2's own check, which asks for the process's user and not the thread's.
void require_owner(git_repository* repository) {
  struct stat info {};
  if (::stat(git_repository_path(repository), &info) != 0) throw Failure("git could not look at the repository");
  if (info.st_uid != acting_user() && info.st_uid != 0) {
    throw Failure("The repository belongs to another user, so it is not trusted");
  }
}

bool is_beneath(const fs::path& folder, const fs::path& path) {
  std::error_code error;
  const auto real = fs::canonical(path, error);
  if (error) return false;
  return std::mismatch(folder.begin(), folder.end(), real.begin(), real.end()).first == folder.end();
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

// Where a path in the configuration leads, counted from the folder; nothing for one that counts from elsewhere. By its
// text: the kernel keeps a confined thread in the folder by ending every way out there.
std::optional<fs::path> target_of(const fs::path& git_folder_in_folder, std::string_view value) {
  if (value.empty() || value.front() == '/' || value.front() == '~' || value.front() == '%') return std::nullopt;
  return (git_folder_in_folder / value).lexically_normal();
}

bool leads_out(const std::optional<fs::path>& target) { return !target || *target->begin() == ".."; }

// What of the configuration in `file` leads out of the folder; nothing when all of it stays there.
const char* way_out_of_config(const fs::path& file, const fs::path& git_folder_in_folder) {
  constexpr auto doing = "read the configuration";
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return nullptr;
  const auto config = made<ConfigHandle>([&](auto** out) { return git_config_open_ondisk(out, file.c_str()); }, doing);
  const auto entries =
      made<ConfigIterator>([&](auto** out) { return git_config_iterator_new(out, config.get()); }, doing);
  git_config_entry* entry = nullptr;
  bool is_empty = true;
  while (git_config_next(&entry, entries.get()) == 0) {
    is_empty = false;
    const std::string_view key = entry->name;
    const auto target = target_of(git_folder_in_folder, entry->value ? entry->value : "");
    if (key == "core.worktree" && (!target || (*target != "." && *target != "./"))) return "core.worktree";
    const bool is_include = key == "include.path" || (key.starts_with("includeif.") && key.ends_with(".path"));
    if (is_include && leads_out(target)) return "an include of its configuration";
  }
  // An include that libgit2 cannot place, such as ~/file, makes it pass over the whole file.
  if (is_empty && fs::file_size(file, error) > 0) return "its configuration";
  return nullptr;
}

// What leads out of the folder; nothing when all of the repository is in it.
const char* way_out(git_repository* repository, const fs::path& folder) {
  const fs::path git_folder = git_repository_path(repository), common = git_repository_commondir(repository);
  std::error_code error;
  if (fs::canonical(git_repository_workdir(repository), error) != folder || error) return "core.worktree";
  if (!is_beneath(folder, git_folder) || is_beneath(git_folder, folder)) return "its .git";
  if (!is_beneath(folder, common)) return "commondir";
  for (const auto* part : {"objects", "refs", "logs", "info", "objects/info", "objects/pack"})
    if (is_there(common / part) && !is_beneath(folder, common / part)) return "a link in .git";
  if (is_there(common / "objects/info/alternates")) return "objects/info/alternates";
  return way_out_of_config(common / "config", fs::canonical(git_folder).lexically_relative(folder));
}

void refuse(const char* way_out) {
  throw Failure("The repository reaches out of its folder by " + std::string(way_out) + ", so it is not opened");
}

void require_within(git_repository* repository, const fs::path& folder) {
  if (git_repository_is_bare(repository) == 1) {
    throw Failure("The repository is bare: without a working tree it is not opened");
  }
  if (const auto* way = way_out(repository, fs::canonical(folder))) refuse(way);
}

// Not by git_remote_list and git_remote_lookup: they match every entry against a pattern, and libgit2 1.5 loses 20 KB
// for each that does not match.
std::set<std::string> remote_names(git_config* config) {
  constexpr std::string_view prefix = "remote.", suffix = ".url";
  const auto entries =
      made<ConfigIterator>([&](auto** out) { return git_config_iterator_new(out, config); }, "read the configuration");
  std::set<std::string> names;
  git_config_entry* entry = nullptr;
  while (git_config_next(&entry, entries.get()) == 0) {
    const std::string_view key = entry->name;
    const bool is_url = key.starts_with(prefix) && key.ends_with(suffix) && key.size() > prefix.size() + suffix.size();
    if (is_url) names.emplace(key.substr(prefix.size(), key.size() - prefix.size() - suffix.size()));
  }
  return names;
}

// libgit2 1.5 reads config alone; git sparse-checkout, for one, writes here.
void add_worktree_config(git_repository* repository) {
  constexpr auto doing = "read the configuration";
  const auto config = made<ConfigHandle>([&](auto** out) { return git_repository_config(out, repository); }, doing);
  int is_used = 0;
  if (git_config_get_bool(&is_used, config.get(), "extensions.worktreeconfig") != 0 || is_used == 0) return;
  const auto path = std::string(git_repository_path(repository)) + "config.worktree";
  check(git_config_add_file_ondisk(config.get(), path.c_str(), GIT_CONFIG_LEVEL_APP, repository, 0), doing);
}

// Of .git alone: of a folder without one libgit2 would take the folder itself for the database and the one above it for
// the working tree.
int open_here(git_repository** out, const fs::path& folder) {
  start_library();
  const auto git = folder / ".git";
  // Where it finds no database libgit2 1.5 loses memory.
  std::error_code error;
  if (!is_there(git) || (fs::is_directory(git, error) && !is_there(git / "HEAD"))) return GIT_ENOTFOUND;
  if (const auto* way = way_out_of_config(git / "config", ".git")) refuse(way);  // before libgit2 follows it
  constexpr unsigned flags = GIT_REPOSITORY_OPEN_NO_SEARCH | GIT_REPOSITORY_OPEN_NO_DOTGIT;
  return git_repository_open_ext(out, git.c_str(), flags, nullptr);
}

}  // namespace

void CloseRepository::operator()(git_repository* repository) const { git_repository_free(repository); }

Repository open(const fs::path& folder) {
  git_repository* opened = nullptr;
  const int code = open_here(&opened, folder);
  if (code == GIT_ENOTFOUND) return nullptr;
  check(code, "open the repository");
  Repository repository(opened);
  require_owner(opened);
  require_within(opened, folder);
  add_worktree_config(opened);
  return repository;
}

Repository open_or_make(const fs::path& folder) {
  if (auto repository = open(folder)) return repository;
  git_repository_init_options options = GIT_REPOSITORY_INIT_OPTIONS_INIT;
  options.flags = GIT_REPOSITORY_INIT_NO_REINIT | GIT_REPOSITORY_INIT_MKPATH;
  options.initial_head = "main";
  return made<Repository>([&](auto** out) { return git_repository_init_ext(out, folder.c_str(), &options); },
                          "make the folder a repository");
}

std::optional<std::string> branch_of(git_repository* repository) {
  constexpr std::string_view prefix = "refs/heads/";
  const auto head =
      made<ReferenceHandle>([&](auto** out) { return git_reference_lookup(out, repository, "HEAD"); }, "read HEAD");
  const auto* target = git_reference_symbolic_target(head.get());
  if (!target || !std::string_view(target).starts_with(prefix)) return std::nullopt;
  return std::string(std::string_view(target).substr(prefix.size()));
}

std::optional<Remote> remote_of(git_repository* repository) {
  const auto config = made<ConfigHandle>([&](auto** out) { return git_repository_config_snapshot(out, repository); },
                                         "read the configuration");
  const auto value = [&](const std::string& key) -> std::optional<std::string> {
    const char* text = nullptr;
    const int code = git_config_get_string(&text, config.get(), key.c_str());
    if (code == GIT_ENOTFOUND) return std::nullopt;
    check(code, "read the configuration");
    return std::string(text);
  };
  const auto names = remote_names(config.get());
  std::string wanted = names.size() == 1 ? *names.begin() : "origin";
  if (const auto branch = branch_of(repository)) wanted = value("branch." + *branch + ".remote").value_or(wanted);
  if (!names.contains(wanted)) return std::nullopt;
  const auto push_url = value("remote." + wanted + ".pushurl");
  auto url = push_url ? push_url : value("remote." + wanted + ".url");
  if (!url || url->empty()) return std::nullopt;
  return Remote{.name = wanted, .url = std::move(*url)};
}

std::string without_credentials(const std::string& url) {
  const auto scheme = url.find("://");
  if (scheme == std::string::npos) return url;
  const auto begin = scheme + 3, end = std::min(url.find('/', begin), url.size());
  const auto at = url.rfind('@', end);
  if (at == std::string::npos || at < begin || at > end) return url;
  return url.substr(0, begin) + url.substr(at + 1);
}

}  // namespace git
