// The workspace as a git repository. No hooks run, and no configuration but the repository's own is read.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "appliance/files/explorer/git/commit.h"
#include "appliance/files/explorer/git/log.h"
#include "appliance/files/explorer/git/repository.h"

namespace agent_process {

// Blocks; not thread-safe. Every call throws std::runtime_error with git's own reason when it fails.
class Repository {
 public:
  struct Changed {
    std::string status;  // added, modified, deleted, renamed
    std::string path;
  };

  // Opens the repository, or creates one with the branch main. `excluded`: patterns of files that are never committed.
  Repository(const std::filesystem::path& folder, const std::vector<std::string>& excluded);

  // At most `limit`: tracked files by path, then new ones by path.
  std::vector<Changed> status(std::size_t limit) const;
  // The changes of tracked files since the last commit as a patch: of one file or folder, or of all. nullopt if it
  // would be larger than `max_bytes`.
  std::optional<std::string> diff(const std::string& path, std::size_t max_bytes) const;
  // Newest first.
  std::vector<git::Commit> log(std::size_t limit) const;
  // The commit that is checked out; empty before the first one.
  std::string head() const;
  // See git::changed_since, git::restore_files and git::write_files.
  std::vector<std::string> changed_since(const std::string& commit, std::size_t limit) const;
  void restore(const std::string& commit);
  void write_files(const std::string& commit, const std::filesystem::path& folder) const;
  // Commits all changes as "agentbox agent" and returns the commit's hash; nullopt without changes.
  std::optional<std::string> commit_all(const std::string& message);

 private:
  git::Repository repository_;
};

}  // namespace agent_process
