#include "appliance/box/cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>

namespace agentbox::cli {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t bar_width = 24;

std::string shown_time(std::chrono::seconds time) {
  const auto count = time.count();
  if (count < 100) return std::to_string(count) + " s";
  if (count < 6'000) return std::to_string(count / 60) + " min";
  return std::to_string(count / 3'600) + " h";
}

}  // namespace

std::string shown_bytes(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> units{"B", "kB", "MB", "GB", "TB"};
  auto amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; amount >= 1'000 && unit + 1 < units.size(); ++unit) amount /= 1'000;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), unit == 0 || amount >= 100 ? "%.0f %s" : "%.1f %s", amount, units[unit]);
  return text.data();
}

std::string progress_line(const std::string& what, std::uint64_t done, std::uint64_t all,
                          std::chrono::milliseconds passed) {
  if (all == 0) return what + "  " + shown_time(std::chrono::duration_cast<std::chrono::seconds>(passed));
  done = std::min(done, all);
  const double part = static_cast<double>(done) / static_cast<double>(all);
  const double seconds = std::max(0.001, static_cast<double>(passed.count()) / 1'000);
  const double rate = static_cast<double>(done) / seconds;
  const auto full = static_cast<std::size_t>(part * bar_width);
  std::string line = what + "  [" + std::string(full, '#') + std::string(bar_width - full, ' ') + "] " +
                     std::to_string(static_cast<int>(part * 100)) + " %  " + shown_bytes(done) + " of " +
                     shown_bytes(all) + "  " + shown_bytes(static_cast<std::uint64_t>(rate)) + "/s";
  if (rate > 0)
    line += "  " + shown_time(std::chrono::seconds(static_cast<std::int64_t>(static_cast<double>(all - done) / rate))) +
            " left";
  return line;
}

Progress::Progress(std::string what) : what_(std::move(what)), is_shown_(isatty(STDERR_FILENO) != 0) {
  if (is_shown_) painter_ = std::thread([this] { run(); });
}

Progress::~Progress() {
  if (!is_shown_) return;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  ended_.notify_one();
  painter_.join();
  std::cerr << "\r\x1b[K" << std::flush;
}

void Progress::report(std::uint64_t done, std::uint64_t all) {
  const std::lock_guard lock(mutex_);
  done_ = done;
  all_ = all;
}

void Progress::run() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, 250ms, [this] { return is_over_; })) {
    const auto passed = std::chrono::steady_clock::now() - begun_;
    std::cerr << '\r'
              << progress_line(what_, done_, all_, std::chrono::duration_cast<std::chrono::milliseconds>(passed))
              << "\x1b[K" << std::flush;
  }
}

}  // namespace agentbox::cli
