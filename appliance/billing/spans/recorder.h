// Takes spans from every part of the box and writes them to the store in the background: those of a tenth of a second
// in one commit, so that a model call costs no commit of its own. Recording one costs its caller no wait for the store.
// A crash loses those that are not written yet; the books do not depend on them.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "appliance/billing/spans/records.h"
#include "appliance/billing/spans/trace_context.h"
#include "web/task.h"

namespace spans {

struct Limits {
  std::size_t max_waiting = 20'000;          // spans that are not written yet; further ones are dropped or refused
  std::size_t batch = 256;                   // spans in one commit
  std::chrono::milliseconds gathering{100};  // until fewer than a batch are written, unless written() waits for them
  std::int64_t max_kept = max_spans;
  std::int64_t max_foreign = max_foreign_agents;
};

// What is recorded of a piece of work at its end.
struct Ending {
  Status status = Status::success;
  std::string error = {};
};

// A piece of work in progress. One that is destroyed before its end is recorded as cut off. Used on one thread.
class Running {
 public:
  Running() = default;  // of no recorder: records nothing
  Running(Running&&) noexcept;
  Running& operator=(Running&&) = delete;
  ~Running();

  // For work that is done within this.
  TraceContext context() const;
  // May be filled in until the end; empty without a recorder.
  Span& span() { return span_; }
  void end(Ending);

 private:
  friend class Recorder;
  struct Registry;
  Running(std::shared_ptr<Registry> registry, Span span) : registry_(std::move(registry)), span_(std::move(span)) {}

  std::shared_ptr<Registry> registry_;
  Span span_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

// Callable from every thread, unless noted. Must not outlive the store.
class Recorder {
 public:
  Recorder(store::System, boost::asio::io_context& home, Limits = {});
  ~Recorder();  // after stop(), or with `home` stopped

  // Starts a span now, within the context or as the root of a new trace. Its ids and times are set.
  Running begin(Span, const TraceContext& = {});
  // Records one that has ended. Its ids are set if they are empty.
  void record(Span);
  // Records spans from outside, all or none: false while too many wait to be written.
  bool offer(std::vector<Span>);
  // Counts a message between two agents of a user.
  void count_message(store::UserId, std::string from, std::string to);
  // Waits until everything recorded before is in the store, or has been dropped because the store is read-only.
  web::Task<> written();
  // The user's work in progress, in no order.
  std::vector<Span> running(store::UserId) const;

  // Called for each recorded span, on the thread that records it. Set before anything is recorded.
  void when_recorded(std::function<void(const Span&)>);
  // Deletes what is known of an agent; for Events::agent_removed.
  web::Task<> forget(store::UserId, std::string agent);
  // Waits until everything is written.
  web::Task<> stop() { return written(); }

 private:
  std::shared_ptr<Running::Registry> registry_;
};

// The id of a span's agent among the activities.
std::string activity_id(const Span&);

}  // namespace spans
