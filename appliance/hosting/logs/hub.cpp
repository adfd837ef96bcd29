#include "appliance/hosting/logs/hub.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/json.hpp>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/logs/reader.h"
#include "web/event_text.h"
#include "web/log.h"
#include "web/reply.h"
#include "web/run_on.h"

namespace logs {

namespace {

namespace asio = boost::asio;
using runtime::LogLine;
using runtime::LogPage;
using web::Result;
using web::Task;

constexpr std::chrono::milliseconds pause_before_following_again{500};
constexpr std::size_t lines_at_once = 2'000;  // of a log that is read on

boost::json::object fields_of(const LogLine& line) {
  boost::json::value at;
  if (line.at) at = web::iso8601(*line.at);
  return {{"id", line.id}, {"at", std::move(at)}, {"text", line.text}};
}

}  // namespace

// What one reader is going to be sent: each line once, in the order of the log.
class Script {
 public:
  Script(Reader& reader, std::string after) : last(std::move(after)), reader_(reader) {}

  void add(const LogLine& line) {
    if (line.id <= last) return;  // it stood in the log already when this reader came
    last = line.id;
    event("log", line.id, fields_of(line));
    ++reader_.lines;
  }
  void add(const LogPage& page) {
    if (page.is_cut && !std::exchange(is_cut_, true)) {
      event("skipped", {}, {{"after", last}, {"reason", "Lines that came after this one are kept no more."}});
      last = runtime::log_position(0);  // it may have been of another log, with other ids
    }
    for (const auto& line : page.lines) add(line);
  }
  // Many of them go out in one piece.
  void event(std::string_view name, std::string_view id, const boost::json::object& data) {
    web::append_event(text, boost::json::serialize(data), name, id);
  }

  std::string text;  // to be sent
  std::string last;  // id of the last line of it

 private:
  Reader& reader_;
  bool is_cut_ = false;
};

// An agent whose log is followed.
struct Channel {
  std::set<std::shared_ptr<Reader>> readers;
  std::string last;  // id of the last line that was handed out
  asio::cancellation_signal cut;
};

struct Hub::Impl : std::enable_shared_from_this<Impl> {
  Impl(runtime::Engine& given, asio::io_context& context, HubOptions chosen)
      : engine(given), home(context), options(chosen), ended(context.get_executor(), web::Timer::time_point::max()) {}

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
    for (const auto& one : readers) own += one->who == reader->who;
    if (readers.size() >= options.most_streams || own >= options.most_of_one) return false;
    return readers.insert(reader).second;
  }

  bool is_here(const std::shared_ptr<Reader>& reader) const {
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

  // ---- on `home`

  // The reader gets what comes from now on; what came before it has to look up afterwards.
  Task<Result<void>> attach(std::shared_ptr<Reader> reader) {
    const auto end = co_await engine.log_end(reader->agent);
    if (!end) co_return end.error();
    if (is_stopping) co_return web::unavailable("The box is shutting down.");
    if (!is_here(reader)) co_return web::conflict("The reader has gone.");
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
    asio::co_spawn(home, follow_on(agent, channel),
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

  // An agent that is started again, or an engine that is back, is followed on from the last line.
  Task<> follow_on(std::string agent, std::shared_ptr<Channel> channel) {
    while (!is_stopping && !channel->readers.empty()) {
      std::function<bool(std::vector<LogLine>)> sink = [channel](std::vector<LogLine> lines) {
        if (!lines.empty()) channel->last = lines.back().id;
        for (const auto& reader : channel->readers) reader->offer(lines);
        return !channel->readers.empty();
      };
      [[maybe_unused]] const auto over = co_await engine.follow_log(agent, channel->last, std::move(sink));
      co_await web::sleep_for(pause_before_following_again);
    }
  }

  Task<> wind_down() {
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

  // ---- on the connection's thread

  // Leaves when it goes, however that comes about: the coroutine of a connection may just be destroyed.
  class Place {
   public:
    Place(std::shared_ptr<Impl> hub, std::shared_ptr<Reader> reader)
        : hub_(std::move(hub)), reader_(std::move(reader)) {}
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() { hub_->leave(reader_); }
    Reader& reader() const { return *reader_; }
    const std::shared_ptr<Reader>& shared_reader() const { return reader_; }

   private:
    const std::shared_ptr<Impl> hub_;
    const std::shared_ptr<Reader> reader_;
  };

  static Task<> write(std::shared_ptr<Impl> hub, std::shared_ptr<Place> place, std::string after, LogPage page,
                      web::StreamWriter& writer) {
    auto& reader = place->reader();
    Script script(reader, after);
    script.event("ready", {}, {{"id", reader.id}});
    script.add(page);
    std::optional<std::string> why;
    if (!after.empty()) why = co_await catch_up(*hub, place->shared_reader(), script, page.lines.size(), writer);
    while (!why) {
      if (!script.text.empty()) co_await writer.write(std::exchange(script.text, {}));
      const auto fresh = reader.take(why);
      for (const auto& line : fresh) script.add(line);
      if (fresh.empty() && !why) co_await reader.wait();
    }
    script.event("end", {}, {{"reason", *why}});
    co_await writer.write(std::move(script.text));
  }

  // However much was missed goes out page by page, as quickly as it is read. Only then do fresh lines wait for this
  // reader, and what came in between is read once more. The answer says why the stream ends.
  static Task<std::optional<std::string>> catch_up(Impl& hub, std::shared_ptr<Reader> reader, Script& script,
                                                   std::size_t got, web::StreamWriter& writer) {
    std::optional<std::string> why;
    bool is_attached = false;
    while (!is_attached || got == lines_at_once) {
      if (!script.text.empty()) co_await writer.write(std::exchange(script.text, {}));
      if (!is_attached) reader->take(why);
      if (why) co_return why;
      if (!is_attached && got < lines_at_once) {
        const auto attached = co_await web::run_on(hub.home, hub.attach(reader));
        if (!attached) co_return attached.error().message;
        is_attached = true;
      }
      runtime::LogQuery query{.limit = lines_at_once, .after = script.last, .since = {}, .until = {}};
      const auto page = co_await hub.engine.read_log(reader->agent, std::move(query));
      if (!page) co_return page.error().message;
      got = page->lines.size();
      script.add(*page);
    }
    co_return why;
  }
};

Hub::Hub(runtime::Engine& engine, asio::io_context& home, HubOptions options)
    : impl_(std::make_shared<Impl>(engine, home, options)) {}

Hub::~Hub() = default;

Task<Result<web::Response>> Hub::stream(Wish wish) {
  if (!wish.after.empty() && !runtime::parse_log_position(wish.after))
    co_return web::invalid("Last-Event-ID must be the id of a line of this log");
  const web::Executor thread = co_await asio::this_coro::executor;
  const auto& options = impl_->options;
  const auto reader = std::make_shared<Reader>(thread, "ls_" + crypto::random_id(16), wish.agent, wish.reader,
                                               options.most_waiting, options.most_waiting_bytes);
  if (!impl_->enter(reader))
    co_return web::Error{.kind = web::Kind::too_many, .message = "Too many logs are being read: end some of them."};
  const auto place = std::make_shared<Impl::Place>(impl_, reader);
  if (wish.after.empty()) {
    const auto attached = co_await web::run_on(impl_->home, impl_->attach(reader));
    if (!attached) co_return attached.error();
  }
  runtime::LogQuery query{
      .limit = wish.after.empty() ? wish.tail : lines_at_once, .after = wish.after, .since = {}, .until = {}};
  auto page = co_await impl_->engine.read_log(wish.agent, std::move(query));
  if (!page) co_return page.error();
  auto response =
      web::server_sent_events([hub = impl_, place, first = std::move(*page), after = wish.after](
                                  web::StreamWriter& writer) { return Impl::write(hub, place, after, first, writer); });
  response.endless = true;
  co_return response;
}

std::vector<Active> Hub::active(const std::optional<std::string>& reader) const {
  std::vector<Active> found;
  const std::lock_guard lock(impl_->mutex);
  for (const auto& one : impl_->readers)
    if (!reader || one->who == *reader)
      found.push_back({.id = one->id, .agent = one->agent, .started_at = one->started_at, .lines = one->lines});
  return found;
}

std::size_t Hub::end(const std::string& agent, const std::optional<std::string>& reader) {
  std::vector<std::shared_ptr<Reader>> ending;
  {
    const std::lock_guard lock(impl_->mutex);
    for (const auto& one : impl_->readers)
      if (one->agent == agent && (!reader || one->who == *reader)) ending.push_back(one);
  }
  for (const auto& one : ending) one->end("The stream was ended.");
  return ending.size();
}

Task<> Hub::stop() { co_await web::run_on(impl_->home, impl_->wind_down()); }

}  // namespace logs
