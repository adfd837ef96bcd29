#include <fcntl.h>

#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/describe.hpp>
#include <cerrno>
#include <memory>
#include <system_error>

#include "appliance/files/explorer/endpoints.h"
#include "appliance/files/explorer/route_parts.h"

namespace explorer {

namespace asio = boost::asio;

namespace {

using namespace std::chrono_literals;
using Readiness = asio::posix::basic_stream_descriptor<web::Executor>;

// What happens within this time after the first change is told together.
constexpr auto gathering_time = 50ms;

struct WatchQuery {
  OptionalPath path;
  AgentId agent;
};
BOOST_DESCRIBE_STRUCT(WatchQuery, (), (path, agent))

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
    ChangeEvent told{.type = change.kind, .path = std::move(change.path), .from = {}, .isFolder = change.is_folder};
    if (change.kind == ChangeKind::moved) told.from = std::move(change.from);
    event.changes.push_back(std::move(told));
  }
  return event;
}

// Its own copy: the watch goes on to own the descriptor.
Readiness readiness_of(const web::Executor& executor, const Watch& watch) {
  const int copy = ::fcntl(watch.descriptor(), F_DUPFD_CLOEXEC, 0);
  if (copy < 0) throw std::system_error(errno, std::system_category(), "watch the files");
  return Readiness(executor, copy);
}

// While the client does not read, nothing is taken: the kernel's queue of bounded length fills up, and says so later.
web::Task<> tell(Explorer& explorer, Watch& watch, web::StreamWriter& writer) {
  auto readiness = readiness_of(co_await asio::this_coro::executor, watch);
  const auto ready = text_of(ReadyEvent{.folders = watch.folders(), .partial = watch.is_partial()});
  co_await writer.event(ready, "ready");
  for (bool is_gone = false; !is_gone;) {
    co_await readiness.async_wait(Readiness::wait_read, web::use_task);
    co_await web::sleep_for(gathering_time);
    auto changes = co_await explorer.take(watch);
    is_gone = changes.is_gone;
    if (!changes.list.empty()) {
      const auto told = text_of(event_of(std::move(changes.list)));
      co_await writer.event(told, "changes");
    }
    if (changes.is_lossy) co_await writer.event("{}", "overflow");
    if (is_gone) co_await writer.event("{}", "gone");
  }
}

}  // namespace

web::Endpoint watch_endpoint(Explorer& explorer) {
  return web::query<WatchQuery>([&explorer](web::Request&, WatchQuery asked) -> Answer {
           auto opened = co_await explorer.watch(agent_of(asked.agent), path_of(asked.path));
           if (!opened) co_return opened.error();
           auto response = web::server_sent_events(
               [&explorer, watching = std::move(*opened)](web::StreamWriter& writer) -> web::Task<> {
                 co_await tell(explorer, watching->watch, writer);
               });
           response.endless = true;
           co_return response;
         })
      .fails({web::Kind::unavailable})
      .describe(
          "Server-sent events of what happens in the folder `path` and all beneath it, but for what the tree leaves "
          "out. `ready` {folders, partial} comes first: from then on nothing is missed, unless `partial` says that "
          "some "
          "folder is not watched (8,192 at most). `changes` {changes: [{type, path, from, isFolder}]}, type being "
          "created, changed, deleted or moved. `overflow` {}: more happened than could be told, look at everything "
          "again. `gone` {}: the folder itself is no more there, and the stream ends. A client that does not read is "
          "dropped. 429 beyond 32 watches.");
}

}  // namespace explorer
