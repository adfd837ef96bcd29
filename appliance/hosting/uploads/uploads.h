// Files that people put into their agents' workspaces.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "appliance/hosting/agents/agents.h"
#include "appliance/identity/guards.h"
#include "web/route.h"

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
  std::vector<Entry> entries;        // depth first, by name; links, devices and reserved names are left out
  bool truncated = false;            // there are more than most_entries, or folders more than 32 levels down
  std::int64_t used = 0, quota = 0;  // bytes: of all such files, of the agent's plan
};

inline constexpr std::size_t most_entries = 2'000;

// Bytes that an agent's files may take: label 100 MiB, solo 500 MiB, collective 2 GiB, network 10 GiB.
std::int64_t quota_of(std::string_view plan);

// Callable from every thread. Paths are resolved by the kernel beneath the workspace, through no link; .git and the
// agent's own state are out of reach, in every spelling.
class Uploads {
 public:
  // `folder`: data/agents. What is given must outlive it; `files` runs what blocks on the disk.
  Uploads(agents::Agents& agents, std::filesystem::path folder, boost::asio::thread_pool& files)
      : agents_(agents), folder_(std::move(folder)), files_(files) {}

  // Errors of all: not_found when the agent is not the caller's or there is no such file; invalid, naming the field.

  // What is beneath `path`; of an agent that has never run, nothing.
  web::Task<web::Result<Listing>> list(store::UserId, std::string agent, std::string path);
  // Replaces what has these names; missing folders are made. Nothing is written unless all of them can have their names
  // and their room. too_many with `current` and `limit`, in bytes, beyond the quota.
  web::Task<web::Result<std::vector<Entry>>> put(store::UserId, std::string agent, std::vector<NewFile>);
  // A file, or a folder that is empty.
  web::Task<web::Result<void>> remove(store::UserId, std::string agent, std::string path);

  // Where what takes long is done.
  boost::asio::thread_pool& pool() const { return files_; }

 private:
  agents::Agents& agents_;
  const std::filesystem::path folder_;
  boost::asio::thread_pool& files_;
  std::mutex writing_;  // held on `files` from the look at the quota to the last write
};

// /api/files on the web. The arguments must outlive the rows.
std::vector<web::Route> web_routes(Uploads&, const agentbox::Guards&);

}  // namespace uploads
