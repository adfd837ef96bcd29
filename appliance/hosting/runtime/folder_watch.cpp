#include "appliance/hosting/runtime/folder_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>

namespace runtime {

std::optional<FolderWatch> FolderWatch::open(boost::asio::io_context& home, const std::filesystem::path& folder) {
  const int events = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (events < 0) return std::nullopt;
  Stream stream(home.get_executor(), events);
  if (::inotify_add_watch(events, folder.c_str(), IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_ONLYDIR) < 0)
    return std::nullopt;
  return FolderWatch(std::move(stream));
}

web::Task<> FolderWatch::changed() {
  // The events are discarded: callers read the files.
  std::array<char, 4096> events;
  co_await events_.async_read_some(boost::asio::buffer(events), web::use_task);
}

}  // namespace runtime
