// Waits for writes to files of a folder (inotify).
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <filesystem>
#include <optional>

#include "web/task.h"

namespace runtime {

class FolderWatch {
 public:
  // nullopt if there is no such folder or the system's limit of watches is reached.
  static std::optional<FolderWatch> open(boost::asio::io_context&, const std::filesystem::path&);

  // Waits until something has been written since the last call. Throws operation_aborted when cancelled.
  web::Task<> changed();

 private:
  using Stream = boost::asio::posix::basic_stream_descriptor<web::Executor>;
  explicit FolderWatch(Stream events) : events_(std::move(events)) {}
  Stream events_;
};

}  // namespace runtime
