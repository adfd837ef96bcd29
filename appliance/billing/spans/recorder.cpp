#include "appliance/billing/spans/recorder.h"

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/describe/enum_to_string.hpp>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>

#include "appliance/billing/spans/writer.h"
#include "store/transact.h"
#include "web/log.h"
#include "web/metrics.h"
#include "web/run_on.h"

namespace spans {

namespace {

void count_recorded(const Span& span) {
  web::metrics()
      .counter("agentbox_spans_total", "Spans recorded, by type.",
               {{"type", boost::describe::enum_to_string(span.type, "")}})
      .add();
}

void count_dropped(std::size_t number) {
  web::metrics().counter("agentbox_spans_dropped_total", "Spans that could not be stored.").add(number);
}

void fill_in(Span& span) {
  if (span.trace_id.empty()) span.trace_id = new_trace_id();
  if (span.span_id.empty()) span.span_id = new_span_id();
  span.id = row_id(span.started_at, span.span_id);
}

}  // namespace

// What recorder, handles and the writing coroutine share.
struct Running::Registry : std::enable_shared_from_this<Running::Registry> {
  Registry(store::System given, boost::asio::io_context& context, Limits most)
      : system(given),
        limits(most),
        writer(std::move(given), most),
        home(context),
        batch_written(context.get_executor(), web::Timer::time_point::max()),
        gathering(context.get_executor()) {}

  void began(const Span& span) {
    const std::scoped_lock lock(mutex);
    running[span.owner].insert_or_assign(span.id, span);
  }

  void ended(const Span& span) {
    const std::scoped_lock lock(mutex);
    const auto own = running.find(span.owner);
    if (own == running.end()) return;
    own->second.erase(span.id);
    if (own->second.empty()) running.erase(own);
  }

  bool add(std::vector<Span> more) {
    if (is_closed) return true;
    if (recorded)
      for (const auto& span : more) recorded(span);
    {
      const std::scoped_lock lock(mutex);
      if (queue.size() + more.size() > limits.max_waiting) return false;
      taken += more.size();
      std::move(more.begin(), more.end(), std::back_inserter(queue));
      if (std::exchange(is_writing, true)) return true;
    }
    start_writing();
    return true;
  }

  void add(const Sent& message) {
    if (is_closed) return;
    {
      const std::scoped_lock lock(mutex);
      ++taken;
      ++sent[message];
      if (std::exchange(is_writing, true)) return;
    }
    start_writing();
  }

  // On `home`, but never within the caller's work, which may be a model call on that thread.
  void start_writing() {
    boost::asio::post(home, [self = shared_from_this()] {
      boost::asio::co_spawn(self->home, write_waiting(self), boost::asio::detached);
    });
  }

  Batch next_batch() {
    const std::scoped_lock lock(mutex);
    const auto end = queue.begin() + static_cast<std::ptrdiff_t>(std::min(queue.size(), limits.batch));
    Batch batch{.spans = {std::make_move_iterator(queue.begin()), std::make_move_iterator(end)},
                .sent = std::exchange(sent, {})};
    queue.erase(queue.begin(), end);
    if (batch.size() == 0) is_writing = false;
    return batch;
  }

  bool is_batch_full() const {
    const std::scoped_lock lock(mutex);
    return queue.size() >= limits.batch;
  }

  web::Task<> gather() {
    if (waiting > 0 || is_batch_full()) co_return;
    gathering.expires_after(limits.gathering);
    boost::system::error_code woken;
    co_await gathering.async_wait(boost::asio::redirect_error(web::use_task, woken));
  }

  // On `home`, one at a time.
  static web::Task<> write_waiting(std::shared_ptr<Registry> self) {
    for (;;) {
      co_await self->gather();
      auto batch = self->next_batch();
      const auto size = batch.size();
      if (size == 0) co_return;
      for (const auto& span : batch.spans) count_recorded(span);
      std::string failure;
      try {
        co_await self->writer.write(std::move(batch));
      } catch (const std::exception& error) {
        failure = error.what();
      }
      if (!failure.empty()) {
        count_dropped(size);
        web::log::warning("spans_not_written", {{"count", static_cast<std::int64_t>(size)}, {"reason", failure}});
      }
      self->done += size;
      self->batch_written.cancel();
    }
  }

  static web::Task<> wait_for(std::shared_ptr<Registry> self, std::uint64_t target) {
    ++self->waiting;
    self->gathering.cancel();
    while (self->done < target) {
      boost::system::error_code woken;
      co_await self->batch_written.async_wait(boost::asio::redirect_error(web::use_task, woken));
    }
    --self->waiting;
  }

  store::System system;
  const Limits limits;
  Writer writer;
  boost::asio::io_context& home;
  std::function<void(const Span&)> recorded;
  std::atomic<bool> is_closed = false;  // the recorder is gone

  mutable std::mutex mutex;  // protects what follows
  std::map<store::UserId, std::map<std::string, Span>> running;
  std::deque<Span> queue;
  std::map<Sent, std::size_t> sent;  // messages that are not counted yet
  bool is_writing = false;
  std::uint64_t taken = 0;  // of spans and messages

  // Used on `home` only.
  std::uint64_t done = 0;    // of those
  web::Timer batch_written;  // cancelled when it is so
  web::Timer gathering;      // cancelled when written() waits
  std::size_t waiting = 0;   // calls of written()
};

Running::Running(Running&& other) noexcept
    : registry_(std::exchange(other.registry_, nullptr)), span_(std::move(other.span_)), began_(other.began_) {}

Running::~Running() {
  if (registry_) end({.status = Status::error, .error = "It was cut off."});
}

TraceContext Running::context() const { return {.trace_id = span_.trace_id, .parent_id = span_.span_id}; }

void Running::end(Ending ending) {
  const auto registry = std::exchange(registry_, nullptr);
  if (!registry) return;
  registry->ended(span_);
  span_.status = ending.status;
  span_.error = std::move(ending.error);
  const auto took = std::chrono::steady_clock::now() - began_;
  span_.duration_us = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
  std::vector<Span> one;
  one.push_back(std::move(span_));
  if (!registry->add(std::move(one))) count_dropped(1);
}

Recorder::Recorder(store::System system, boost::asio::io_context& home, Limits limits)
    : registry_(std::make_shared<Running::Registry>(std::move(system), home, limits)) {}

Recorder::~Recorder() { registry_->is_closed = true; }

Running Recorder::begin(Span span, const TraceContext& within) {
  span.trace_id = within.trace_id;
  span.parent_id = within.parent_id;
  span.started_at = store::now();
  span.status = Status::running;
  fill_in(span);
  registry_->began(span);
  return {registry_, std::move(span)};
}

void Recorder::record(Span span) {
  fill_in(span);
  std::vector<Span> one;
  one.push_back(std::move(span));
  if (!registry_->add(std::move(one))) count_dropped(1);
}

bool Recorder::offer(std::vector<Span> spans) {
  for (auto& span : spans) fill_in(span);
  return registry_->add(std::move(spans));
}

void Recorder::count_message(store::UserId owner, std::string from, std::string to) {
  registry_->add(Sent{.owner = owner, .from = std::move(from), .to = std::move(to)});
}

web::Task<> Recorder::written() {
  const auto registry = registry_;
  std::uint64_t target = 0;
  {
    const std::scoped_lock lock(registry->mutex);
    target = registry->taken;
  }
  co_await web::run_on(registry->home, Running::Registry::wait_for(registry, target));
}

std::vector<Span> Recorder::running(store::UserId owner) const {
  std::vector<Span> found;
  const std::scoped_lock lock(registry_->mutex);
  const auto own = registry_->running.find(owner);
  if (own == registry_->running.end()) return found;
  for (const auto& [id, span] : own->second) found.push_back(span);
  return found;
}

void Recorder::when_recorded(std::function<void(const Span&)> recorded) { registry_->recorded = std::move(recorded); }

web::Task<> Recorder::forget(store::UserId owner, std::string agent) {
  const auto tenant = registry_->system.tenant(owner);
  const auto step = [&](store::Change& change) {
    const auto row = tenant.get(activities, agent);
    if (!row) return false;
    change.erase(activities, *row);
    for (const auto& link : tenant.list(links, {.limit = std::size_t(-1), .after = {}}))
      if (link.from == agent || link.to == agent)
        if (const auto stored = tenant.get(links, link.id)) change.erase(links, *stored);
    return true;
  };
  co_await store::transact(tenant, step);
}

std::string activity_id(const Span& span) { return span.is_foreign ? "~" + span.agent : span.agent; }

}  // namespace spans
