// Live logs: however many read along with an agent, its log is followed once. A reader that takes too long is dropped:
// what waits for it is bounded.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "appliance/hosting/runtime/engine.h"
#include "store/table.h"
#include "web/http.h"
#include "web/result.h"
#include "web/task.h"

namespace logs {

struct Wish {
  std::string agent;
  std::string reader;  // who reads: only they see and stop it
  std::string after;   // id of the last line that is known: all behind it come first; empty: the newest `tail` do
  std::size_t tail = 50;
};

struct Active {
  std::string id, agent;
  store::Time started_at;
  std::int64_t lines = 0;  // sent so far
};

struct HubOptions {
  std::size_t most_waiting = 4'000;  // lines
  std::size_t most_waiting_bytes = 1u << 20;
  std::size_t most_streams = 2'000, most_of_one = 200;
};

class Hub {
 public:
  // Everything it does happens on `home`. Both must outlive it.
  Hub(runtime::Engine&, boost::asio::io_context& home, HubOptions options = {});
  ~Hub();  // after stop(), or with `home` stopped

  // A stream of server-sent events: first `ready` {id}, then `log` {id, at, text} for each line, whose id resumes
  // behind it, and `end` {reason} when the box ends it. `skipped` {after, reason} comes before the lines when some that
  // followed `after` are kept no more. too_many beyond the bounds; invalid when `after` is no id.
  web::Task<web::Result<web::Response>> stream(Wish);
  // Callable from every thread, as all of it.
  std::vector<Active> active(const std::optional<std::string>& reader) const;
  // Ends the streams of this reader (nothing: of everybody) from this agent; how many there were.
  std::size_t end(const std::string& agent, const std::optional<std::string>& reader);
  // Ends all of them, and following.
  web::Task<> stop();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace logs
