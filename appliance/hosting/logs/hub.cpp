#include "appliance/hosting/logs/hub.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/logs/reader.h"
#include "web/log.h"
#include "web/run_on.h"

namespace logs {

namespace {

namespace asio = boost::asio;
using runtime::LogLine;
using runtime::LogPage;
using web::Result;
using web::Task;

constexpr std::chrono::milliseconds pause_before_retry{500};
constexpr std::size_t lines_per_page = 2'000;  // when a reader catches up

}  // namespace

// An agent's log that is being followed.
struct Channel {
  std::set<std::shared_ptr<Reader>> readers;
  std::string last;  // id of the last line passed to the readers
  asio::cancellation_signal cut;
};

struct Hub::Impl : std::enable_shared_from_this<Impl> {
  Impl(runtime::Engine& log_engine, asio::io_context& context, HubOptions hub_options)
      : engine(log_engine),
        home(context),
        options(hub_options),
        ended(context.get_executor(), web::Timer::time_point::max()) {}

  runtime::Engine& engine;
  asio::io_context& home;
  const HubOptions options;
  // Used on `home` only.
  std::map<std::string, std::shared_ptr<Channel>> channels;
  std::size_t following = 0;
  bool is_stopping = false;
  web::Timer ended;
  mutable std::mutex mutex;  // protects readers
  std::set<std::shared_ptr<Reader>> readers;

  bool enter(const std::shared_ptr<Reader>& reader) {
    const std::lock_guard lock(mutex);
    std::size_t own = 0;
    for (const auto& one : readers) own += one->owner == reader->owner;
    if (readers.size() >= options.max_streams || own >= options.max_per_reader) return false;
    return readers.insert(reader).second;
  }

  bool is_open(const std::shared_ptr<Reader>& reader) const {
    const std::lock_guard lock(mutex);
    return readers.contains(reader);
  }

  void leave(const std::shared_ptr<Reader>& reader) {
    {
      const std::lock_guard lock(mutex);
      readers.erase(reader);
    }
    asio::post(home, [self = shared_from_this(), reader] { self->detach(reader); });
  }

  // The rest runs on `home`.

  // Queues lines from now on for the reader, which has to read earlier ones from the log afterwards.
  Task<Result<void>> attach(std::shared_ptr<Reader> reader) {
    const auto end = co_await engine.log_end(reader->agent);
    if (!end) co_return end.error();
    if (is_stopping) co_return web::unavailable("The box is shutting down.");
    if (!is_open(reader)) co_return web::conflict("The reader has gone.");
    const auto agent = reader->agent;
    auto& channel = channels[agent];
    const bool is_new = !channel;
    if (is_new) {
      channel = std::make_shared<Channel>();
      channel->last = *end;
    }
    channel->readers.insert(std::move(reader));
    if (is_new) follow(agent, channel);
    co_return Result<void>();
  }

  void detach(const std::shared_ptr<Reader>& reader) {
    const auto found = channels.find(reader->agent);
    if (found == channels.end()) return;
    const auto channel = found->second;
    channel->readers.erase(reader);
    if (!channel->readers.empty()) return;
    channels.erase(found);
    channel->cut.emit(asio::cancellation_type::terminal);
  }

  void follow(const std::string& agent, const std::shared_ptr<Channel>& channel) {
    ++following;
    asio::co_spawn(home, keep_following(agent, channel),
                   asio::bind_cancellation_slot(
                       channel->cut.slot(), [self = shared_from_this(), agent, channel](std::exception_ptr failure) {
                         --self->following;
                         self->ended.cancel();
                         const bool is_wanted = !channel->readers.empty();
                         const auto known = self->channels.find(agent);
                         if (known != self->channels.end() && known->second == channel) self->channels.erase(known);
                         if (failure && is_wanted) web::log::warning("log_not_followed", {{"agent", agent}});
                         for (const auto& reader : channel->readers)
                           reader->end("The log cannot be followed any more.");
                       }));
  }

  // Continues after the last line when the agent has been restarted or the engine is available again.
  Task<> keep_following(std::string agent, std::shared_ptr<Channel> channel) {
    while (!is_stopping && !channel->readers.empty()) {
      std::function<bool(std::vector<LogLine>)> sink = [channel](std::vector<LogLine> lines) {
        if (!lines.empty()) channel->last = lines.back().id;
        for (const auto& reader : channel->readers) reader->offer(lines);
        return !channel->readers.empty();
      };
      [[maybe_unused]] const auto ended_by = co_await engine.follow_log(agent, channel->last, std::move(sink));
      co_await web::sleep_for(pause_before_retry);
    }
  }

  Task<> stop() {
    is_stopping = true;
    for (const auto& [agent, channel] : std::exchange(channels, {})) {
      for (const auto& reader : channel->readers) reader->end("The box is shutting down.");
      channel->readers.clear();
      channel->cut.emit(asio::cancellation_type::terminal);
    }
    while (following > 0) {
      boost::system::error_code woken;
      co_await ended.async_wait(asio::redirect_error(web::use_task, woken));
    }
  }
};

Hub::Hub(runtime::Engine& engine, asio::io_context& home, HubOptions options)
    : impl_(std::make_shared<Impl>(engine, home, options)) {}

Hub::~Hub() = default;

Task<Result<std::shared_ptr<LogStream>>> Hub::open(StreamQuery query) {
  if (!query.after.empty() && !runtime::parse_log_position(query.after))
    co_return web::invalid("Last-Event-ID must be the id of a line of this log");
  const web::Executor thread = co_await asio::this_coro::executor;
  const auto& options = impl_->options;
  const auto reader = std::make_shared<Reader>(thread, "ls_" + crypto::random_id(16), query.agent, query.reader,
                                               options.max_waiting, options.max_waiting_bytes);
  if (!impl_->enter(reader))
    co_return web::Error{.kind = web::Kind::too_many, .message = "Too many logs are being read: end some of them."};
  auto stream = std::make_shared<LogStream>(impl_, reader, query);
  const auto opened = co_await stream->start(query);
  if (!opened) co_return opened.error();
  co_return std::move(stream);
}

std::vector<ActiveStream> Hub::active(const std::optional<std::string>& reader) const {
  std::vector<ActiveStream> found;
  const std::lock_guard lock(impl_->mutex);
  for (const auto& one : impl_->readers)
    if (!reader || one->owner == *reader)
      found.push_back({.id = one->id, .agent = one->agent, .started_at = one->started_at, .lines = one->lines});
  return found;
}

std::size_t Hub::end(const std::string& agent, const std::optional<std::string>& reader) {
  std::vector<std::shared_ptr<Reader>> ending;
  {
    const std::lock_guard lock(impl_->mutex);
    for (const auto& one : impl_->readers)
      if (one->agent == agent && (!reader || one->owner == *reader)) ending.push_back(one);
  }
  for (const auto& one : ending) one->end("The stream was ended.");
  return ending.size();
}

Task<> Hub::stop() { co_await web::run_on(impl_->home, impl_->stop()); }

LogStream::LogStream(std::shared_ptr<Hub::Impl> hub, std::shared_ptr<Reader> reader, const StreamQuery& query)
    : hub_(std::move(hub)), reader_(std::move(reader)), last_(query.after), is_catching_up_(!query.after.empty()) {
  events_.push_back({.kind = StreamEvent::Kind::ready, .line = {}, .id = reader_->id, .reason = {}});
}

LogStream::~LogStream() { hub_->leave(reader_); }

// A stream without `after` first queues new lines and then reads the stored ones, so that none is missed in between.
Task<Result<void>> LogStream::start(const StreamQuery& query) {
  if (!is_catching_up_) {
    const auto attached = co_await web::run_on(hub_->home, hub_->attach(reader_));
    if (!attached) co_return attached.error();
  }
  const auto max_lines = is_catching_up_ ? lines_per_page : query.tail;
  co_return co_await read_page(max_lines);
}

Task<std::vector<StreamEvent>> LogStream::next() {
  while (events_.empty()) {
    if (is_catching_up_)
      co_await catch_up();
    else
      co_await take_new_lines();
  }
  co_return std::exchange(events_, {});
}

// Reads stored lines page by page. New lines are queued for this reader only once it has reached the end of the log;
// the lines written in between are then read from the log.
Task<> LogStream::catch_up() {
  const bool is_at_end = page_size_ < lines_per_page;
  if (is_attached_ && is_at_end) {
    is_catching_up_ = false;
    co_return;
  }
  if (!is_attached_) {
    std::optional<std::string> end_reason;
    reader_->take(end_reason);
    if (end_reason) co_return add_end(std::move(*end_reason));
  }
  if (!is_attached_ && is_at_end) {
    const auto attached = co_await web::run_on(hub_->home, hub_->attach(reader_));
    if (!attached) co_return add_end(attached.error().message);
    is_attached_ = true;
  }
  const auto read = co_await read_page(lines_per_page);
  if (!read) add_end(read.error().message);
}

Task<Result<void>> LogStream::read_page(std::size_t limit) {
  runtime::LogQuery query{.limit = limit, .after = last_, .since = {}, .until = {}};
  const auto page = co_await hub_->engine.read_log(reader_->agent, std::move(query));
  if (!page) co_return page.error();
  page_size_ = page->lines.size();
  add(*page);
  co_return Result<void>();
}

Task<> LogStream::take_new_lines() {
  std::optional<std::string> end_reason;
  const auto lines = reader_->take(end_reason);
  for (const auto& line : lines) add(line);
  if (end_reason)
    add_end(std::move(*end_reason));
  else if (lines.empty())
    co_await reader_->wait();
}

void LogStream::add(const LogLine& line) {
  if (line.id <= last_) return;  // already read from the log
  last_ = line.id;
  events_.push_back({.kind = StreamEvent::Kind::line, .line = line, .id = {}, .reason = {}});
  ++reader_->lines;
}

void LogStream::add(const LogPage& page) {
  if (page.is_truncated && !std::exchange(has_skipped_, true)) {
    events_.push_back({.kind = StreamEvent::Kind::skipped,
                       .line = {},
                       .id = last_,
                       .reason = "Lines that came after this one are kept no more."});
    last_ = runtime::log_position(0);  // `after` may be from another log, with other ids
  }
  for (const auto& line : page.lines) add(line);
}

void LogStream::add_end(std::string reason) {
  events_.push_back({.kind = StreamEvent::Kind::end, .line = {}, .id = {}, .reason = std::move(reason)});
}

}  // namespace logs
