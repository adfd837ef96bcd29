// Files that users upload to their agents' workspaces.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "appliance/files/spool.h"
#include "appliance/foundation/disk_reserve.h"
#include "appliance/hosting/agents/directory.h"
#include "web/result.h"
#include "web/task.h"

namespace uploads {

struct NewFile {
  std::string path;                    // within the workspace, as the client wrote it
  std::uint64_t offset = 0, size = 0;  // of its content in Incoming::content
};

// Files that have been received for an agent and are not yet in its workspace.
struct Incoming {
  std::string agent;
  std::int64_t quota = 0;  // bytes that the agent's files may take
  files::Spool content;
  std::vector<NewFile> files;
};

struct Entry {
  std::string path;  // within the workspace; folders end in '/'
  std::int64_t size = 0;
  store::Time modified;
};

struct Listing {
  std::vector<Entry> entries;        // depth first, by name; without links, devices and reserved names
  bool truncated = false;            // there are more than max_entries
  std::int64_t used = 0, quota = 0;  // bytes of all files; limit (billing::storage_limit)
};

inline constexpr std::size_t max_entries = 2'000;

// Thread-safe. Paths are resolved by the kernel under the workspace and not through links; .git and the agent's own
// state are not accessible, in any spelling.
class Uploads {
 public:
  // `folder`: data/agents. What is received is spooled to `spools`, on the same disk. All arguments must outlive it;
  // uploads are received and stored on the threads of `receiving`, other file access is on `files`.
  Uploads(store::System system, const agents::AgentDirectory& agents, std::filesystem::path folder,
          std::filesystem::path spools, agentbox::DiskReserve disk, boost::asio::thread_pool& files,
          boost::asio::thread_pool& receiving)
      : system_(std::move(system)),
        agents_(agents),
        folder_(std::move(folder)),
        spools_(std::move(spools)),
        disk_(std::move(disk)),
        files_(files),
        receiving_(receiving) {}

  // Uploads stop at the box's disk reserve with an error of kind unavailable. Errors of all functions: not_found when
  // the agent is not the caller's or there is no such file; invalid, naming the field.

  // The files under `path`; empty for an agent that has never run.
  web::Task<web::Result<Listing>> list(store::UserId, std::string agent, std::string path);
  // Where the files for an agent are received. Blocks.
  web::Result<Incoming> receive(store::UserId, const std::string& agent) const;
  // Is called with each file that put() has stored. Before the first one.
  using Received = std::function<void(const std::string& agent, const std::string& path)>;
  void when_received(Received received) { received_ = std::move(received); }

  // Replaces existing files and creates missing folders. Writes nothing unless all names are valid and the quota
  // suffices. too_many with `current` and `limit`, in bytes, beyond the quota.
  web::Task<web::Result<std::vector<Entry>>> put(Incoming);
  // The same for one file with this content. Errors name `path`.
  web::Task<web::Result<Entry>> write(store::UserId, std::string agent, std::string path, std::string content);
  // A file or an empty folder.
  web::Task<web::Result<void>> remove(store::UserId, std::string agent, std::string path);

  // unavailable where the box's disk reserve begins. Blocks.
  web::Result<void> admit(std::uint64_t more) const { return disk_.admit(more); }
  // For receive() and what follows it.
  boost::asio::thread_pool& receiving() const { return receiving_; }

 private:
  web::Task<web::Result<std::vector<Entry>>> store_files(Incoming);

  std::int64_t quota_of(const agents::Agent&) const;

  store::System system_;
  const agents::AgentDirectory& agents_;
  const std::filesystem::path folder_, spools_;
  const agentbox::DiskReserve disk_;
  boost::asio::thread_pool &files_, &receiving_;
  Received received_;
  std::mutex writing_;  // held on a thread of `receiving` from the quota check to the last write
};

}  // namespace uploads
