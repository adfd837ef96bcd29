#include "web/log.h"

#include <spdlog/async.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <thread>

#include "web/log_format.h"
#include "web/routes/json_number.h"
#include "web/routes/reply.h"
#include "web/routes/reply_write.h"

namespace web::log {
namespace {

std::atomic<Level> level{Level::info};
std::atomic<Format> format{Format::json};

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

// Durations and shares are measured values: more than three decimals say nothing.
double rounded(double value) {
  constexpr double steps = 1'000, largest = 1e12;
  return std::abs(value) < largest ? std::round(value * steps) / steps : value;
}

void append_json(std::string& line, const Field& field) {
  line += ',';
  detail::write_string(line, field.name);
  line += ':';
  if (const auto* number = std::get_if<double>(&field.value))
    detail::write(line, rounded(*number));
  else
    std::visit([&](const auto& value) { detail::write(line, value); }, field.value);
}

std::string json_line(Level line_level, std::string_view event, std::initializer_list<Field> fields) {
  std::string line = R"({"time":")";
  line += iso8601(std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now()));
  line += R"(","level":")";
  line += name(line_level);
  line += R"(","event":)";
  detail::write_string(line, event);
  for (const auto& field : fields) append_json(line, field);
  line += '}';
  return line;
}

constexpr std::string_view plain = "\x1b[0m", dim = "\x1b[2m", bold = "\x1b[1m";

std::string_view colour(Level line_level) {
  switch (line_level) {
    case Level::debug:
      return dim;
    case Level::info:
      return "\x1b[32m";
    case Level::warning:
      return "\x1b[33m";
    case Level::error:
      return "\x1b[31m";
  }
  return plain;
}

// "14:03:07.250", local time.
std::string clock_text() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1'000;
  std::tm parts{};
  localtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%02d:%02d:%02d.%03d", parts.tm_hour % 100, parts.tm_min % 100,
                parts.tm_sec % 100, static_cast<int>(since));
  return text.data();
}

// As it is if it is one word, else as a JSON string: what others wrote cannot make a line of its own.
void append_word(std::string& line, const std::string& text) {
  const bool is_word =
      !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f && c != '"'; });
  if (is_word)
    line += text;
  else
    detail::write_string(line, text);
}

void append_text(std::string& line, const Field& field) {
  if (const auto* text = std::get_if<std::string>(&field.value))
    append_word(line, *text);
  else if (const auto* number = std::get_if<double>(&field.value))
    append_json_number(line, rounded(*number));
  else
    std::visit([&](const auto& value) { detail::write(line, value); }, field.value);
}

std::string text_line(Level line_level, std::string_view event, std::initializer_list<Field> fields, bool is_coloured) {
  const auto style = [is_coloured](std::string_view code) { return is_coloured ? code : std::string_view(); };
  std::string line(style(dim));
  line.append(clock_text()).append(style(plain)).append("  ");
  line.append(style(colour(line_level))).append(name(line_level)).append(style(plain));
  line.append(9 - name(line_level).size(), ' ').append(style(bold));
  const auto begin = line.size();
  line += event;
  std::replace(line.begin() + static_cast<std::ptrdiff_t>(begin), line.end(), '_', ' ');
  line += style(plain);
  for (const auto& field : fields) {
    line.append("  ").append(style(dim)).append(field.name).append("=").append(style(plain));
    append_text(line, field);
  }
  return line;
}

}  // namespace

void set_level(Level line_level) { level.store(line_level, std::memory_order_relaxed); }
void set_format(Format line_format) { format.store(line_format, std::memory_order_relaxed); }
bool enabled(Level line_level) { return line_level >= level.load(std::memory_order_relaxed); }

void write(Level line_level, std::string_view event, std::initializer_list<Field> fields) {
  if (!enabled(line_level)) return;
  const Format now = format.load(std::memory_order_relaxed);
  const std::string line = now == Format::json ? json_line(line_level, event, fields)
                                               : text_line(line_level, event, fields, now == Format::colours);
  sink().logger->log(spdlog::level::info, spdlog::string_view_t(line.data(), line.size()));
}

std::uint64_t dropped() { return sink().pool->overrun_counter(); }

}  // namespace web::log
