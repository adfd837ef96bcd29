// The workspace as a git repository, through libgit2 in this one unit. No hooks run, and no configuration but the
// repository's own is read.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_process {

// Blocks; one thread at a time. Every call throws std::runtime_error with git's own reason when it fails.
class Repository {
 public:
  struct Changed {
    std::string status;  // added, modified, deleted, renamed
    std::string path;
  };
  struct Commit {
    std::string hash, short_hash, subject, author;
    std::string date;  // ISO 8601, UTC
  };

  // Opens the repository, or makes one whose first branch is main. `excluded` are patterns of files that are never
  // committed.
  Repository(const std::filesystem::path& folder, const std::vector<std::string>& excluded);
  ~Repository();

  // At most `limit`, by path.
  std::vector<Changed> status(std::size_t limit) const;
  // Newest first.
  std::vector<Commit> log(std::size_t limit) const;
  // Commits everything that changed as "agentbox agent". Nothing: nothing had changed; else the commit's hash.
  std::optional<std::string> commit_all(std::string_view message);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace agent_process
