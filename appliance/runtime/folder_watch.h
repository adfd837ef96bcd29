// Waits for writes to files of folders (inotify).
#pragma once

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <memory>
#include <optional>

#include "web/task.h"

namespace runtime {

class FolderWatch;

// One inotify instance for all folders, from the start on: a user has few of them, which other programs of the same
// user may take. Everything but the constructor runs on `home`.
class FolderWatches {
 public:
  explicit FolderWatches(boost::asio::io_context& home);

  // nullopt if there is no such folder, or the system grants no watch.
  std::optional<FolderWatch> open(const std::filesystem::path& folder);

 private:
  friend class FolderWatch;
  struct Shared;
  std::shared_ptr<Shared> shared_;  // null: the system had no instance
};

class FolderWatch {
 public:
  FolderWatch(FolderWatch&&) noexcept;
  FolderWatch& operator=(FolderWatch&&) noexcept;
  ~FolderWatch();

  // Waits until something has been written since the last call. Throws operation_aborted when cancelled.
  web::Task<> changed();

 private:
  friend class FolderWatches;
  struct State;
  explicit FolderWatch(std::unique_ptr<State>);
  std::unique_ptr<State> state_;
};

}  // namespace runtime
