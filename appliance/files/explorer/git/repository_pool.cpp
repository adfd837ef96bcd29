#include "appliance/files/explorer/git/repository_pool.h"

#include <algorithm>
#include <string_view>

#include "appliance/files/explorer/git/handles.h"

namespace git {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t capacity = 4;  // as many as the explorer has threads

using Stamp = std::array<std::int64_t, 10>;

// Identity, owner and time of the last configuration change of an ordinary repository. libgit2 itself notices all other
// changes.
std::optional<Stamp> stamp_of(const fs::path& folder) {
  struct stat git {
  }, config{};
  const auto inside = folder / ".git";
  if (::lstat(inside.c_str(), &git) != 0 || !S_ISDIR(git.st_mode)) return std::nullopt;
  if (::lstat((inside / "config").c_str(), &config) != 0 || !S_ISREG(config.st_mode)) return std::nullopt;
  return Stamp{std::int64_t(git.st_dev),    std::int64_t(git.st_ino), std::int64_t(git.st_uid),
               std::int64_t(config.st_ino), config.st_size,           config.st_mtim.tv_sec,
               config.st_mtim.tv_nsec,      config.st_ctim.tv_sec,    config.st_ctim.tv_nsec,
               std::int64_t(config.st_dev)};
}

// False if the configuration refers to other files.
bool has_single_config_file(git_repository* repository) {
  const auto config = made<ConfigHandle>([&](auto** out) { return git_repository_config_snapshot(out, repository); },
                                         "read the configuration");
  const auto entries = made<ConfigIterator>([&](auto** out) { return git_config_iterator_new(out, config.get()); },
                                            "read the configuration");
  git_config_entry* entry = nullptr;
  while (git_config_next(&entry, entries.get()) == 0) {
    const std::string_view key = entry->name;
    if (key.starts_with("include.") || key.starts_with("includeif.") || key == "extensions.worktreeconfig")
      return false;
  }
  return true;
}

}  // namespace

RepositoryPool::Lease RepositoryPool::take(const fs::path& folder, const fs::path& seen_as) {
  const auto stamp = stamp_of(seen_as);
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(leases_, [&](const Lease& one) { return one.folder == folder && one.stamp != stamp; });
    const auto found = std::ranges::find(leases_, folder, &Lease::folder);
    if (found != leases_.end()) {
      Lease lease = std::move(*found);
      leases_.erase(found);
      return lease;
    }
  }
  Lease lease{.folder = folder, .repository = open(seen_as), .stamp = stamp};
  if (lease.repository && !has_single_config_file(lease.repository.get())) lease.stamp.reset();
  return lease;
}

void RepositoryPool::give_back(Lease lease) {
  if (!lease.repository || !lease.stamp) return;
  const std::lock_guard lock(mutex_);
  if (leases_.size() < capacity) leases_.push_back(std::move(lease));
}

}  // namespace git
