// Repositories that stay open from one request to the next: libgit2 then reads again only what has changed meanwhile.
// For folders whose repository nobody but the operator can exchange; see open() for all others.
#pragma once

#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <mutex>
#include <optional>
#include <vector>

#include "appliance/files/explorer/git/repository.h"

namespace git {

// Callable from every thread.
class RepositoryPool {
 public:
  // A repository that is the taker's alone.
  struct Lease {
    std::filesystem::path folder;
    Repository repository;  // as git::open returns it
    // By what is seen, when it was opened, whether it is still the one: nothing when that cannot be told.
    std::optional<std::array<std::int64_t, 10>> stamp;
  };

  // `folder` as everybody names it, and as the calling thread finds it. Throws as open() does.
  Lease take(const std::filesystem::path& folder, const std::filesystem::path& seen_as);
  // For the next one who asks. What failed is not given back.
  void give_back(Lease);

 private:
  std::mutex mutex_;  // protects leases_
  std::vector<Lease> leases_;
};

}  // namespace git
