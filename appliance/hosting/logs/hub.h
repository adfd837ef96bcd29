// Live logs. However many readers an agent's log has, it is followed once. Slow readers are disconnected: the lines
// waiting for each are bounded.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "appliance/runtime/engine.h"
#include "store/store.h"
#include "store/table.h"
#include "web/result.h"
#include "web/task.h"

namespace logs {

class Reader;

// A user as StreamQuery::reader.
inline std::string reader_name(store::UserId user) { return "user " + std::to_string(user); }

struct StreamQuery {
  std::string agent;
  std::string reader;  // who reads; only they see and end the stream
  std::string after;   // id of a line: all lines after it come first; empty: the newest `tail` lines do
  std::size_t tail = 50;
};

struct StreamEvent {
  enum class Kind { ready, line, skipped, end };
  Kind kind = Kind::line;
  runtime::LogLine line;  // of line
  std::string id;         // ready: of the stream; skipped: of the last line before the gap
  std::string reason;     // of skipped and end
};

struct ActiveStream {
  std::string id, agent;
  store::Time started_at;
  std::int64_t lines = 0;  // sent so far
};

struct HubOptions {
  std::size_t max_waiting = 4'000;  // lines
  std::size_t max_waiting_bytes = 1u << 20;
  std::size_t max_streams = 2'000, max_per_reader = 200;
};

class LogStream;

// Thread-safe.
class Hub {
 public:
  // Logs are followed on `home`. Both must outlive it.
  Hub(runtime::Engine&, boost::asio::io_context& home, HubOptions options = {});
  ~Hub();  // after stop(), or with `home` stopped

  // The stream belongs to the calling coroutine's executor. too_many beyond the limits; invalid if `after` is not an
  // id.
  web::Task<web::Result<std::shared_ptr<LogStream>>> open(StreamQuery);
  // All streams, or those of one reader.
  std::vector<ActiveStream> active(const std::optional<std::string>& reader) const;
  // Ends the reader's streams of this agent's log, or everybody's without a reader. Returns their number.
  std::size_t end(const std::string& agent, const std::optional<std::string>& reader);
  // Ends all streams and stops following.
  web::Task<> stop();

 private:
  friend class LogStream;
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

// One reader's lines: each once, in the order of the log. Destroying it ends the stream.
class LogStream {
 public:
  LogStream(std::shared_ptr<Hub::Impl>, std::shared_ptr<Reader>, const StreamQuery&);
  LogStream(const LogStream&) = delete;
  LogStream& operator=(const LogStream&) = delete;
  ~LogStream();

  // Waits for the next events and returns at least one: first `ready`, then lines. `skipped` comes before lines when
  // some between them are no longer stored. `end` is the last event. Must run on the executor of Hub::open.
  web::Task<std::vector<StreamEvent>> next();

 private:
  friend class Hub;
  web::Task<web::Result<void>> start(const StreamQuery&);
  web::Task<> catch_up();
  web::Task<web::Result<void>> read_page(std::size_t limit);
  web::Task<> take_new_lines();
  void add(const runtime::LogLine&);
  void add(const runtime::LogPage&);
  void add_end(std::string reason);

  const std::shared_ptr<Hub::Impl> hub_;
  const std::shared_ptr<Reader> reader_;
  std::vector<StreamEvent> events_;  // to be returned by next()
  std::string last_;                 // id of the last line returned
  bool is_catching_up_;              // reading stored lines after StreamQuery::after
  bool is_attached_ = false;         // catching up: new lines are already queued in reader_
  bool has_skipped_ = false;
  std::size_t page_size_ = 0;  // lines of the last page
};

}  // namespace logs
