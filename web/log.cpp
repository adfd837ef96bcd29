#include "web/log.h"

#include <spdlog/async.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <thread>

#include "web/reply.h"
#include "web/reply_write.h"

namespace web::log {
namespace {

std::atomic<Level> level{Level::info};

constexpr std::size_t queue_lines = 2048;
constexpr std::size_t batch_bytes = 64 * 1024;
constexpr std::chrono::milliseconds pause{1};

// Writes all queued lines at once, then pauses: lines that arrive meanwhile are written to stderr with a single write.
// A lone line is written immediately, and one line per request costs a busy box almost nothing.
class Batches : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  explicit Batches(spdlog::details::thread_pool& pool) : pool_(pool) {}
  ~Batches() override { write(); }

 private:
  void sink_it_(const spdlog::details::log_msg& line) override {
    batch_.append(line.payload.data(), line.payload.size()).push_back('\n');
    const bool last = pool_.queue_size() == 0;
    if (!last && batch_.size() < batch_bytes) return;
    write();
    if (last) std::this_thread::sleep_for(pause);
  }
  void flush_() override {}
  void write() {
    std::fwrite(batch_.data(), 1, batch_.size(), stderr);
    batch_.clear();
  }

  spdlog::details::thread_pool& pool_;
  std::string batch_;
};

// One thread writes; the network threads only queue lines, which overwrite the oldest if it cannot keep up.
struct Sink {
  std::shared_ptr<spdlog::details::thread_pool> pool = std::make_shared<spdlog::details::thread_pool>(queue_lines, 1);
  std::shared_ptr<spdlog::async_logger> logger = std::make_shared<spdlog::async_logger>(
      "agentbox", std::make_shared<Batches>(*pool), pool, spdlog::async_overflow_policy::overrun_oldest);
  Sink() {
    logger->set_level(spdlog::level::trace);
    logger->flush_on(spdlog::level::off);
  }
};

Sink& sink() {
  static Sink the_sink;
  return the_sink;
}

std::string_view name(Level line_level) {
  switch (line_level) {
    case Level::debug:
      return "debug";
    case Level::info:
      return "info";
    case Level::warning:
      return "warning";
    case Level::error:
      return "error";
  }
  return "error";
}

void append(std::string& line, const Field& field) {
  line += ',';
  detail::write_string(line, field.name);
  line += ':';
  std::visit([&](const auto& value) { detail::write(line, value); }, field.value);
}

}  // namespace

void set_level(Level line_level) { level.store(line_level, std::memory_order_relaxed); }
bool enabled(Level line_level) { return line_level >= level.load(std::memory_order_relaxed); }

void write(Level line_level, std::string_view event, std::initializer_list<Field> fields) {
  if (!enabled(line_level)) return;
  std::string line = R"({"time":")";
  line += iso8601(std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now()));
  line += R"(","level":")";
  line += name(line_level);
  line += R"(","event":)";
  detail::write_string(line, event);
  for (const auto& field : fields) append(line, field);
  line += '}';
  sink().logger->log(spdlog::level::info, spdlog::string_view_t(line.data(), line.size()));
}

std::uint64_t dropped() { return sink().pool->overrun_counter(); }

}  // namespace web::log
