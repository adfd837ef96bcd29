#include "appliance/files/explorer/git/repository.h"

#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <set>

#include "appliance/files/explorer/git/handles.h"
#include "appliance/files/explorer/git/library.h"

namespace git {

namespace {

namespace fs = std::filesystem;

// setfsuid with an invalid id changes nothing and returns the current one. A confined process may not call it, so its
// threads have no other user than the process.
uid_t acting_user() {
  constexpr auto invalid = static_cast<uid_t>(-1);
  const auto user = static_cast<uid_t>(::setfsuid(invalid));
  return user == invalid ? ::geteuid() : user;
}

// Replaces libgit2's own check, which uses the user of the process, not of the thread.
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

// The target of a path in the configuration, relative to the folder; nullopt for absolute and home paths. Purely
// textual: confined threads cannot leave the folder anyway, so the file system would hide where the path leads.
std::optional<fs::path> target_of(const fs::path& git_folder_in_folder, std::string_view value) {
  if (value.empty() || value.front() == '/' || value.front() == '~' || value.front() == '%') return std::nullopt;
  return (git_folder_in_folder / value).lexically_normal();
}

bool leads_out(const std::optional<fs::path>& target) { return !target || *target->begin() == ".."; }

// The setting in `file` that refers to a path outside the folder; null if there is none.
const char* outside_reference_in_config(const fs::path& file, const fs::path& git_folder_in_folder) {
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
  // An include that libgit2 cannot resolve, such as ~/file, makes it ignore the whole file.
  if (is_empty && fs::file_size(file, error) > 0) return "its configuration";
  return nullptr;
}

// The part of the repository that is outside the folder; null if there is none.
const char* outside_reference(git_repository* repository, const fs::path& folder) {
  const fs::path git_folder = git_repository_path(repository), common = git_repository_commondir(repository);
  std::error_code error;
  if (fs::canonical(git_repository_workdir(repository), error) != folder || error) return "core.worktree";
  if (!is_beneath(folder, git_folder) || is_beneath(git_folder, folder)) return "its .git";
  if (!is_beneath(folder, common)) return "commondir";
  for (const auto* part : {"objects", "refs", "logs", "info", "objects/info", "objects/pack"})
    if (is_there(common / part) && !is_beneath(folder, common / part)) return "a link in .git";
  if (is_there(common / "objects/info/alternates")) return "objects/info/alternates";
  return outside_reference_in_config(common / "config", fs::canonical(git_folder).lexically_relative(folder));
}

void refuse(const char* outside_reference) {
  throw Failure("The repository reaches out of its folder by " + std::string(outside_reference) +
                ", so it is not opened");
}

void require_within(git_repository* repository, const fs::path& folder) {
  if (git_repository_is_bare(repository) == 1) {
    throw Failure("The repository is bare: without a working tree it is not opened");
  }
  if (const auto* reference = outside_reference(repository, fs::canonical(folder))) refuse(reference);
}

// Does not use git_remote_list and git_remote_lookup: they match every entry against a pattern, and libgit2 1.5 leaks
// 20 KB for each that does not match.
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

// libgit2 1.5 does not read config.worktree, which git sparse-checkout, for example, writes.
void add_worktree_config(git_repository* repository) {
  constexpr auto doing = "read the configuration";
  const auto config = made<ConfigHandle>([&](auto** out) { return git_repository_config(out, repository); }, doing);
  int is_used = 0;
  if (git_config_get_bool(&is_used, config.get(), "extensions.worktreeconfig") != 0 || is_used == 0) return;
  const auto path = std::string(git_repository_path(repository)) + "config.worktree";
  check(git_config_add_file_ondisk(config.get(), path.c_str(), GIT_CONFIG_LEVEL_APP, repository, 0), doing);
}

// libgit2 reads these as a whole; a file of holes of any size costs its owner nothing.
void require_small_files(const fs::path& git) {
  constexpr std::uintmax_t max_settings = 1u << 20, max_index = 256u << 20;
  constexpr std::pair<const char*, std::uintmax_t> files[] = {
      {"HEAD", max_settings},         {"config", max_settings},   {"config.worktree", max_settings},
      {"info/exclude", max_settings}, {"packed-refs", max_index}, {"index", max_index}};
  for (const auto& [name, most] : files) {
    std::error_code missing;
    if (const auto size = fs::file_size(git / name, missing); !missing && size > most)
      throw Failure(".git/" + std::string(name) + " is too large, so the repository is not opened");
  }
}

// Opens .git only: without one libgit2 would treat the folder itself as the database and its parent as the working
// tree.
int open_here(git_repository** out, const fs::path& folder) {
  start_library();
  const auto git = folder / ".git";
  // Checked before libgit2 does: 1.5 leaks memory for a database that it refuses.
  if (!is_there(git)) return GIT_ENOTFOUND;
  std::error_code error;
  if (fs::is_directory(git, error)) {
    for (const auto* part : {"HEAD", "objects", "refs"})
      if (!is_there(git / part)) return GIT_ENOTFOUND;
    if (is_there(git / "commondir")) refuse("commondir");
  }
  require_small_files(git);
  if (const auto* reference = outside_reference_in_config(git / "config", ".git"))
    refuse(reference);  // before libgit2 follows it
  constexpr unsigned flags = GIT_REPOSITORY_OPEN_NO_SEARCH | GIT_REPOSITORY_OPEN_NO_DOTGIT;
  return git_repository_open_ext(out, git.c_str(), flags, nullptr);
}

}  // namespace

void CloseRepository::operator()(git_repository* repository) const { git_repository_free(repository); }

// The format is gitformat-index. The header: "DIRC", version and count, big-endian. An entry takes at least 62 bytes.
// The checksum at the end is zero with index.skipHash, which libgit2 1.5 takes for damage.
void require_readable_index(const fs::path& folder) {
  constexpr std::uintmax_t header_size = 12, least_entry = 62, checksum_size = 20;
  const auto path = folder / ".git" / "index";
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return;
  std::array<unsigned char, header_size> header{};
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(header.data()), header_size)) return;
  const auto count = std::uintmax_t{header[8]} << 24 | header[9] << 16 | header[10] << 8 | header[11];
  const auto size = fs::file_size(path, error);
  if (error || size < header_size + checksum_size) return;
  if (count > size / least_entry) throw Failure("git could not read the index: it is damaged");
  std::array<char, checksum_size> checksum{};
  file.seekg(-std::streamoff{checksum_size}, std::ios::end);
  if (file.read(checksum.data(), checksum.size()) && std::ranges::all_of(checksum, [](char byte) { return byte == 0; }))
    throw unsupported(
        "its index has no checksum (index.skipHash). Add it with git -c index.skipHash=false update-index "
        "--force-write-index");
}

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
