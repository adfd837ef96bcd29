// The audit log as a stream to a collector (AUDIT_STREAM): in the log's order, each entry at least once. The log itself
// is the queue; the store keeps how far it was sent.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "appliance/foundation/periodic.h"
#include "appliance/identity/audit/audit.h"
#include "web/result.h"

namespace audit {

struct StreamPosition {
  std::string name = "collector";  // the key; there is one
  std::int64_t sent = 0;           // the last entry that the collector has
};
BOOST_DESCRIBE_STRUCT(StreamPosition, (), (name, sent))

inline const store::Global<StreamPosition> stream_positions{
    {.family = "audit_stream", .number = 171}, &StreamPosition::name, {}};

// Where entries go.
struct Collector {
  std::string url;        // syslog+tls, syslog+tcp, syslog+udp, https or http; empty: nowhere
  std::string token;      // bearer token for https and http; may be empty
  std::string authority;  // PEM file that its certificate is checked with; empty: the system's
};

struct StreamStatus {
  std::int64_t sent = 0, pending = 0;  // the last entry sent; how many wait
  std::optional<store::Time> sent_at;  // since the start of the box
  std::string problem;                 // why the last attempt failed; empty: it did not
};

// `status` is callable from every thread; the arguments must outlive it.
class Stream {
 public:
  // Sends entries and returns once the collector has them, as far as its protocol says so. Blocks.
  using Send = std::function<web::Result<void>(const Collector&, const std::vector<Entry>&)>;
  Stream(store::System, const Audit&, Collector, boost::asio::io_context& home);
  Stream(store::System, const Audit&, Collector, boost::asio::io_context& home, Send);
  ~Stream();

  bool is_on() const { return !collector_.url.empty(); }
  StreamStatus status() const;
  // Sends what waits, unless the last failure was too recent: after 1 s, and twice as long after each further one, up
  // to 5 minutes.
  web::Task<> work();

  void start();
  web::Task<> stop();

 private:
  std::int64_t position() const;
  web::Task<> note_sent(std::int64_t last);
  void note_failure(const std::string& problem);

  store::System system_;
  const Audit& audit_;
  const Collector collector_;
  const Send send_;
  boost::asio::thread_pool sender_{1};  // a collector that hangs holds up nothing else
  unsigned failures_ = 0;               // in a row; used on `home` alone
  std::chrono::steady_clock::time_point next_attempt_{};
  mutable std::mutex mutex_;
  std::optional<store::Time> sent_at_;  // protected by mutex_
  std::string problem_;                 // protected by mutex_
  agentbox::Periodic worker_;
};

}  // namespace audit
