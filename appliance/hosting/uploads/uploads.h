// Files that users upload to their agents' workspaces.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "appliance/hosting/agents/directory.h"
#include "web/result.h"
#include "web/task.h"

namespace uploads {

struct NewFile {
  std::string path;  // within the workspace, as the client wrote it
  std::string content;
};

struct Entry {
  std::string path;  // within the workspace; folders end in '/'
  std::int64_t size = 0;
  store::Time modified;
};

struct Listing {
  std::vector<Entry> entries;        // depth first, by name; without links, devices and reserved names
  bool truncated = false;            // there are more than most_entries
  std::int64_t used = 0, quota = 0;  // bytes of all files; limit of the agent's plan
};

inline constexpr std::size_t most_entries = 2'000;

// Storage quota in bytes: label 100 MiB, solo 500 MiB, collective 2 GiB, network 10 GiB.
std::int64_t quota_of(std::string_view plan);

// Thread-safe. Paths are resolved by the kernel beneath the workspace and not through links; .git and the agent's own
// state are not accessible, in any spelling.
class Uploads {
 public:
  // `folder`: data/agents. All arguments must outlive it; blocking file access runs on `files`.
  Uploads(const agents::AgentDirectory& agents, std::filesystem::path folder, boost::asio::thread_pool& files)
      : agents_(agents), folder_(std::move(folder)), files_(files) {}

  // Errors of all functions: not_found when the agent is not the caller's or there is no such file; invalid, naming the
  // field.

  // The files beneath `path`; empty for an agent that has never run.
  web::Task<web::Result<Listing>> list(store::UserId, std::string agent, std::string path);
  // Replaces existing files and creates missing folders. Writes nothing unless all names are valid and the quota
  // suffices. too_many with `current` and `limit`, in bytes, beyond the quota.
  web::Task<web::Result<std::vector<Entry>>> put(store::UserId, std::string agent, std::vector<NewFile>);
  // A file or an empty folder.
  web::Task<web::Result<void>> remove(store::UserId, std::string agent, std::string path);

  // For parsing large requests.
  boost::asio::thread_pool& pool() const { return files_; }

 private:
  const agents::AgentDirectory& agents_;
  const std::filesystem::path folder_;
  boost::asio::thread_pool& files_;
  std::mutex writing_;  // held on `files` from the quota check to the last write
};

}  // namespace uploads
