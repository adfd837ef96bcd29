#include <fcntl.h>

#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/describe.hpp>
#include <cerrno>
#include <memory>
#include <system_error>

#include "appliance/files/explorer/handlers.h"

namespace explorer {

namespace asio = boost::asio;

namespace {

using namespace std::chrono_literals;
using Readiness = asio::posix::basic_stream_descriptor<web::Executor>;

// Changes within this time after the first one are sent in one event.
constexpr auto batch_time = 50ms;

struct ReadyEvent {
  std::size_t folders = 0;
  bool partial = false;
};
BOOST_DESCRIBE_STRUCT(ReadyEvent, (), (folders, partial))

struct ChangeEvent {
  ChangeKind type = ChangeKind::changed;
  std::string path;
  std::optional<std::string> from;
  bool isFolder = false;
};
BOOST_DESCRIBE_STRUCT(ChangeEvent, (), (type, path, from, isFolder))

struct ChangesEvent {
  std::vector<ChangeEvent> changes;
};
BOOST_DESCRIBE_STRUCT(ChangesEvent, (), (changes))

template <class Event>
std::string text_of(const Event& event) {
  std::string text;
  web::write_json(text, event);
  return text;
}

ChangesEvent event_of(std::vector<FileChange> list) {
  ChangesEvent event;
  for (auto& change : list) {
    ChangeEvent item{.type = change.kind, .path = std::move(change.path), .from = {}, .isFolder = change.is_folder};
    if (change.kind == ChangeKind::moved) item.from = std::move(change.from);
    event.changes.push_back(std::move(item));
  }
  return event;
}

// A duplicate of the descriptor: the watch keeps its own.
Readiness readiness_of(const web::Executor& executor, const Watch& watch) {
  const int copy = ::fcntl(watch.descriptor(), F_DUPFD_CLOEXEC, 0);
  if (copy < 0) throw std::system_error(errno, std::system_category(), "watch the files");
  return Readiness(executor, copy);
}

// While the client does not read, nothing is taken: the kernel's bounded queue fills up and later reports the overflow.
web::Task<> send_changes(Explorer& explorer, Watch& watch, web::StreamWriter& writer) {
  auto readiness = readiness_of(co_await asio::this_coro::executor, watch);
  const auto ready = text_of(ReadyEvent{.folders = watch.folders(), .partial = watch.is_partial()});
  co_await writer.event(ready, "ready");
  for (bool is_gone = false; !is_gone;) {
    co_await readiness.async_wait(Readiness::wait_read, web::use_task);
    co_await web::sleep_for(batch_time);
    auto changes = co_await explorer.take(watch);
    is_gone = changes.is_gone;
    if (!changes.list.empty()) {
      const auto event = text_of(event_of(std::move(changes.list)));
      co_await writer.event(event, "changes");
    }
    if (changes.is_lossy) co_await writer.event("{}", "overflow");
    if (is_gone) co_await writer.event("{}", "gone");
  }
}

}  // namespace

Reply watch_files(const Services& services, const web::Request&, WatchQuery query) {
  auto& explorer = services.explorer;
  auto opened = co_await explorer.watch(agent_of(query.agent), path_of(query.path));
  if (!opened) co_return opened.error();
  auto response =
      web::server_sent_events([&explorer, counted = std::move(*opened)](web::StreamWriter& writer) -> web::Task<> {
        co_await send_changes(explorer, counted->watch, writer);
      });
  response.endless = true;
  co_return response;
}

}  // namespace explorer
