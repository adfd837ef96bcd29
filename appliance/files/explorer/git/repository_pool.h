// Repositories that stay open between requests, so that libgit2 rereads only what has changed. Only for folders whose
// repository nobody but the operator can replace; others use open().
#pragma once

#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <mutex>
#include <optional>
#include <vector>

#include "appliance/files/explorer/git/repository.h"

namespace git {

// Thread-safe.
class RepositoryPool {
 public:
  // A repository used by one caller at a time.
  struct Lease {
    std::filesystem::path folder;
    Repository repository;  // as git::open returns it
    // Identifies the repository as of when it was opened; nullopt if it cannot be pooled.
    std::optional<std::array<std::int64_t, 10>> stamp;
  };

  // `folder` is the pool's key, `seen_as` its path for the calling thread. Throws as open() does.
  Lease take(const std::filesystem::path& folder, const std::filesystem::path& seen_as);
  // Returns a repository to the pool. Not called after a failure.
  void give_back(Lease);

 private:
  std::mutex mutex_;  // protects leases_
  std::vector<Lease> leases_;
};

}  // namespace git
